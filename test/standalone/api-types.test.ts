import { describe, expectTypeOf, it } from 'vitest';
import type { components, paths } from '../../examples/clients/api.d.ts';

// What openapi-typescript makes of openapi.json, as clients get it. `npm run check -- types` holds it.

type Schemas = components['schemas'];
type Json<Responses, Status extends keyof Responses> = Responses[Status] extends {
  content: { 'application/json': infer Body };
}
  ? Body
  : never;
type Instant = string;

describe('The types made of the API document', () => {
  it('say what may be null, and that all else is always there', () => {
    expectTypeOf<Schemas['Task']>().toEqualTypeOf<{
      id: number;
      user_id: string;
      challenge_template_id: number | null;
      title: string;
      description: string | null;
      points: number;
      is_daily_routine: boolean;
      created_at: Instant;
      updated_at: Instant;
    }>();
    expectTypeOf<Schemas['User']>().toEqualTypeOf<{
      id: string;
      name: string;
      email: string;
      profile_picture: string | null;
      points: number;
      current_streak: number;
      max_streak: number;
      created_at: Instant;
      updated_at: Instant;
    }>();
    // @ts-expect-error a description may be null
    ((task: Schemas['Task']) => task.description.length) satisfies unknown;
  });

  it('know the values of an enum, and no others', () => {
    expectTypeOf<Schemas['UserChallenge']>().toEqualTypeOf<{
      id: number;
      user_id: string;
      template_id: number;
      status: 'ACTIVE' | 'COMPLETED' | 'ABANDONED';
      start_date: Instant;
      completed_at: Instant | null;
      notes: string | null;
      created_at: Instant;
      updated_at: Instant;
    }>();
    // @ts-expect-error there is no such status
    ((challenge: Schemas['UserChallenge']) => challenge.status === 'DONE') satisfies unknown;
  });

  it('ask in a body for what must be there, and let go what has a default', () => {
    expectTypeOf<Schemas['CreateTaskInput']>().toEqualTypeOf<{
      title: string;
      points?: number;
      description?: string | null;
      is_daily_routine?: boolean;
      challenge_template_id?: number | null;
    }>();
    expectTypeOf<Schemas['UpdateTaskInput']>().toEqualTypeOf<{
      title?: string;
      description?: string | null;
      points?: number;
      is_daily_routine?: boolean;
    }>();
    // @ts-expect-error the title is missing
    ({ points: 1 }) satisfies Schemas['CreateTaskInput'];
    // @ts-expect-error points may be left out, but not null
    ({ title: 'Swim', points: null }) satisfies Schemas['CreateTaskInput'];
  });

  it('say of each answer what it holds, by its status', () => {
    type Active = paths['/user-challenges/active']['get']['responses'];
    expectTypeOf<Json<Active, 200>>().toEqualTypeOf<Schemas['ListedUserChallenge'] | null>();
    type Mine = paths['/tasks/me']['get']['responses'];
    expectTypeOf<Json<Mine, 200>>().toEqualTypeOf<{ task: Schemas['Task']; completion_count: number }[]>();
    type Completed = paths['/task-completions']['post']['responses'];
    expectTypeOf<Json<Completed, 201>>().toExtend<{ id: number; completed_at: Instant }>();
    for (const status of [400, 401, 403, 404, 413, 415, 500, 503] as const) {
      expectTypeOf<Json<Completed, typeof status>>().toEqualTypeOf<{ error: string }>();
    }
    expectTypeOf<Exclude<keyof Completed, 201>>().toEqualTypeOf<
      400 | 401 | 403 | 404 | 413 | 415 | 500 | 503
    >();
    type Parameters = paths['/task-completions']['post']['parameters'];
    expectTypeOf<NonNullable<Parameters['header']>>().toEqualTypeOf<{ 'Idempotency-Key'?: string }>();
    expectTypeOf<paths['/tasks/{taskId}']['put']['parameters']['path']>().toEqualTypeOf<{ taskId: number }>();
  });
});
