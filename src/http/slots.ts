import type { ServerResponse } from 'node:http';
import { whenAnswerBegins } from './answer-begins.js';

export type State = 'outside' | 'waiting' | 'atWork' | 'done';

/** Counts the slots: requests at work, in total and by owner, and requests that wait. */
export class Slots {
  private inside = 0;
  private atWork = 0;
  private readonly atWorkOf = new Map<string, number>();

  constructor(
    private readonly limits: { inside: number; atWork: number; atWorkOfOne: number },
    /** In milliseconds: an abandoned request releases its slot after this time, since its work has ended by then. */
    private readonly longestWork: number,
  ) {}

  get isFull(): boolean {
    return this.inside >= this.limits.inside;
  }

  /** The unnamed owner has no limit of its own. */
  mayBegin(owner: string): boolean {
    const { atWork, atWorkOfOne } = this.limits;
    return this.atWork < atWork && (owner === '' || (this.atWorkOf.get(owner) ?? 0) < atWorkOfOne);
  }

  /**
   * A request holds its slot while it waits or is worked on, not while its body arrives or its answer is read: a
   * client that sends slowly, reads slowly or subscribes does not block others. Returns a function that moves the
   * request to another state; `changed` is called after each move.
   */
  follow(response: ServerResponse, owner: string, changed: () => void): (to: State) => void {
    let state: State = 'outside';
    const move = (to: State) => {
      if (state === 'done' || state === to) return;
      this.count(owner, state, -1);
      state = to;
      this.count(owner, state, 1);
      changed();
    };
    whenAnswerBegins(response, () => move('done'));
    // The work for a client that has gone still takes its slot.
    response.once('close', () => {
      if (state !== 'done') setTimeout(move, this.longestWork, 'done').unref();
    });
    return move;
  }

  private count(owner: string, state: State, by: 1 | -1): void {
    if (state === 'waiting' || state === 'atWork') this.inside += by;
    if (state !== 'atWork') return;
    this.atWork += by;
    const ofOwner = (this.atWorkOf.get(owner) ?? 0) + by;
    if (ofOwner > 0) this.atWorkOf.set(owner, ofOwner);
    else this.atWorkOf.delete(owner);
  }
}
