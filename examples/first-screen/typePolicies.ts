import type { FieldPolicy, StoreObject, TypePolicies } from '@apollo/client';

// For `new InMemoryCache({ typePolicies })`: copy this file.

type Days = Readonly<Record<string, StoreObject>>;

/** Days are kept by their date. Any range is read from them, and the few days of a payload go among them. */
const calendar: FieldPolicy<Days, readonly StoreObject[]> = {
  keyArgs: false,
  merge(known = {}, days, { args, mergeObjects }) {
    const news = days.map((day, index) => {
      const date = later(args?.from, index);
      return [date, mergeObjects(known[date] ?? {}, day)];
    });
    return { ...known, ...Object.fromEntries(news) };
  },
  read(known = {}, { args }) {
    const days: StoreObject[] = [];
    for (let date: string = args?.from; date <= args?.to; date = later(date, 1)) {
      const day = known[date];
      if (!day) return undefined; // not known: Apollo asks for it
      days.push(day);
    }
    return days;
  },
};

/** The day of a payload is one of the user's: it goes among those. */
const day: FieldPolicy<StoreObject> = {
  merge(_none, day, { cache, mergeObjects, readField }) {
    const date = readField<string>('date', day);
    if (date) {
      const id = cache.identify({ __typename: 'User' });
      const put = (known: object) => ({
        ...known,
        [date]: mergeObjects(Reflect.get(known, date) ?? {}, day),
      });
      cache.modify<Record<string, Days>>({ id, fields: { calendar: put } });
    }
    return day;
  },
};

const later = (date: string, days: number) =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);

/** A part of a task or a user, without an id: what an answer leaves out of it is kept, and not forgotten. */
const part = { merge: true };

export const typePolicies: TypePolicies = {
  User: { keyFields: [], fields: { calendar } }, // nobody but the one whose token it is
  Task: { fields: { calendar } },
  CompleteTaskPayload: { fields: { day } },
  UndoCompletionPayload: { fields: { day } },
  Streak: part,
  TaskToday: part,
  ChallengeProgress: part,
};
