import type { ServerResponse } from 'node:http';
import { whenAnswerBegins } from './answer-begins.js';

export type State = 'outside' | 'waiting' | 'atWork' | 'done';

/** How many requests are inside: those at work, together and by owner, and those in line. */
export class Slots {
  private inside = 0;
  private atWork = 0;
  private readonly atWorkOf = new Map<string, number>();

  constructor(
    private readonly most: { inside: number; atWork: number; atWorkOfOne: number },
    /** In milliseconds: by then the work for a client that has gone has come to its end. */
    private readonly longestWork: number,
  ) {}

  get isFull(): boolean {
    return this.inside >= this.most.inside;
  }

  /** Owners without a name have no bound of their own. */
  mayBegin(owner: string): boolean {
    const { atWork, atWorkOfOne } = this.most;
    return this.atWork < atWork && (owner === '' || (this.atWorkOf.get(owner) ?? 0) < atWorkOfOne);
  }

  /**
   * A request has its slot from when it has arrived until its answer begins: whoever sends slowly, reads slowly
   * or subscribes keeps nobody out. Answers how to move it; `changed` is called after each move.
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
