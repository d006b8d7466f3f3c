import fc from 'fast-check';
import { HOUR } from './wall-clock.js';

export const SECOND = 1_000;

/** At both ends of the world, off the hour, and with summers of one hour and of half an hour. */
export const ZONES = [
  ...[
    'UTC',
    'Pacific/Kiritimati',
    'Pacific/Honolulu',
    'Etc/GMT+12',
    'Asia/Kolkata',
    'Asia/Kathmandu',
    'Asia/Tokyo',
  ],
  ...[
    'America/Los_Angeles',
    'America/New_York',
    'America/Havana',
    'America/St_Johns',
    'Europe/Berlin',
    'Africa/Cairo',
  ],
  ...['Australia/Lord_Howe', 'Pacific/Chatham', 'Europe/Volgograd'],
];

/** Instants lie around midnights: so many days after the step before, and so far from 00:00. */
export const moment = {
  gap: fc.oneof(
    { weight: 8, arbitrary: fc.constant(0) },
    { weight: 6, arbitrary: fc.constant(1) },
    { weight: 3, arbitrary: fc.integer({ min: 2, max: 4 }) },
  ),
  offset: fc.oneof(
    fc.constantFrom(0, 1, -1, 2, -2, 999, -999),
    fc.constantFrom(...[1, 5, 59, 60, 61].flatMap((count) => [count * SECOND, -count * SECOND])),
    fc.integer({ min: -12 * HOUR, max: 12 * HOUR }),
  ),
};

/** Among others, months and years that end. */
export const firstDay = fc.constantFrom(
  ...['2026-11-21', '2026-12-30', '2027-02-26', '2028-02-26', '1999-12-30'],
  // Around the clock changes of America, of Europe, of Lord Howe, and the new time of Volgograd.
  ...['2026-10-30', '2027-03-12', '2026-10-23', '2027-03-26', '2027-04-02', '2020-12-25'],
);
