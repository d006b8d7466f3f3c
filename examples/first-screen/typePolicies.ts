import type { FieldPolicy, StoreObject, TypePolicies } from '@apollo/client';

// For `new InMemoryCache({ typePolicies })`: copy this file.

/** Days by their date, and the day on which `last` ends. */
interface Days {
  readonly byDate: Readonly<Record<string, StoreObject>>;
  readonly today?: string | undefined;
}

const NONE: Days = { byDate: {} };

/** Any range is read from the days that are known, and the few days of a payload go among them. */
const calendar: FieldPolicy<Days, readonly StoreObject[]> = {
  keyArgs: false,
  merge({ byDate, today } = NONE, days, { args, mergeObjects, readField }) {
    const news = days.map((day) => {
      const date = readField<string>('date', day);
      if (!date) throw new Error('Ask for the `date` of each day of `calendar`');
      return [date, mergeObjects(byDate[date] ?? {}, day)] as const;
    });
    const endsToday = !args?.to && news.at(-1)?.[0];
    return { byDate: { ...byDate, ...Object.fromEntries(news) }, today: endsToday || today };
  },
  read({ byDate, today } = NONE, { args }) {
    const to: string | undefined = args?.to ?? today;
    if (!to) return undefined; // not known: Apollo asks for it
    const days: StoreObject[] = [];
    for (let date: string = args?.from ?? later(to, 1 - args?.last); date <= to; date = later(date, 1)) {
      const day = byDate[date];
      if (!day) return undefined;
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
      const put = (known: Days): Days => {
        const news = mergeObjects(known.byDate[date] ?? {}, day);
        return { ...known, byDate: { ...known.byDate, [date]: news } };
      };
      cache.modify<Record<string, Days>>({ id, fields: { calendar: (known) => put(known as Days) } });
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
  PeriodProgress: part,
  ChallengeProgress: part,
};
