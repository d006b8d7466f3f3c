/** In milliseconds: the service names whole seconds. */
const SECOND = 1_000;

/** The clock of the service, as far as the answers have told it. All is in milliseconds. */
export interface ServiceClock {
  now: () => number;
  /** How far it is surely ahead of this device's. */
  ahead: () => number;
  /** When something was done, by the clock of the service. None is of the future: the device's clock was fast then. */
  momentOf: (at: number) => number;
  /** The service says its time between the question and its answer. */
  compare: (asked: number, there: number, received: number) => void;
}

export function serviceClock(device: () => number = Date.now): ServiceClock {
  let ahead = 0;
  return {
    now: () => device() + ahead,
    ahead: () => ahead,
    momentOf: (at) => Math.min(at, device()) + ahead,
    compare: (asked, there, received) => {
      if (there < asked - SECOND) ahead = there - asked;
      else if (there > received) ahead = there - received;
      else if (there >= 0) ahead = 0;
    },
  };
}
