import type { FieldPolicy, StoreObject, TypePolicies } from '@apollo/client';

// For `new InMemoryCache({ typePolicies })`: copy this file.

/** Days are kept by their date. Any range is read from them, and the few days of a payload go among them. */
const calendar: FieldPolicy<Readonly<Record<string, StoreObject>>, readonly StoreObject[]> = {
  keyArgs: false,
  merge(known = {}, days, { args, mergeObjects }) {
    const news = days.map((day, index) => {
      const date = later(args?.from, index);
      return [date, known[date] ? mergeObjects(known[date], day) : day] as const;
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

const later = (date: string, days: number) =>
  new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);

/** A part of a task or a user, without an id: what an answer leaves out of it is kept, and not forgotten. */
const part = { merge: true };

export const typePolicies: TypePolicies = {
  User: { keyFields: [], fields: { calendar } }, // nobody but the one whose token it is
  Task: { fields: { calendar } },
  Streak: part,
  TaskToday: part,
  ChallengeProgress: part,
};
