// To be imported before the built service: its clock, timers and log included, is CLOCK_AHEAD milliseconds ahead.

const ahead = Number(process.env.CLOCK_AHEAD);
const now = () => real.now() + ahead;

const real = Date;
globalThis.Date = new Proxy(Date, {
  construct: (target, given: [number]) => (given.length > 0 ? new target(...given) : new target(now())),
  get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
});
