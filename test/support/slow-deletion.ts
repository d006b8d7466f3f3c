/** No statement deletes too much of a history, and each takes longer than its share of a hurried request. */
export const SLOW_DELETION = [
  `create function slowly() returns trigger language plpgsql as $$ begin
     if (select count(*) from gone) > 20000 then raise 'A statement that would be given up'; end if;
     perform pg_sleep(0.4);
     return null;
   end $$`,
  `create trigger slowly after delete on task_completions referencing old table as gone
   for each statement execute function slowly()`,
];
