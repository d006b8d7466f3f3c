/**
 * The beginning of a statement, which makes users 1 to `count` who never did anything. In `numbers` what follows finds
 * each number `i` and the `id` of its user. Benchmarks read this file as it is.
 */
export const people = (count: number, domain = 'example.com') => `
  with numbers as (
    select i, ('00000000-0000-4000-8000-' || lpad(i::text, 12, '0'))::uuid as id from generate_series(1, ${count}) i
  ), people as (
    insert into users (id, name, email, password_hash, created_at, updated_at)
    select id, 'Ana', i || '@${domain}', '', now(), now() from numbers
  ), progress as (
    insert into user_progress (user_id) select id from numbers
  )`;
