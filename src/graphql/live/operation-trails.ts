import type { GraphQLFormattedError } from 'graphql';
import { begun, type Seen, seen, WEBSOCKET } from '../../telemetry/observe.js';
import { noteCaller, type Trail } from '../../telemetry/trail.js';
import { noteErrors } from '../request-log-plugin.js';

/** The trails of the operations on one WebSocket. Each has a line of its own in the log when it is over. */
export class OperationTrails {
  private readonly underWay = new Map<string, Trail>();
  private begun = 0;

  constructor(
    /** Of the request that opened the connection. */
    private readonly opening: Trail | undefined,
    private readonly address: string,
    private readonly end: (seen: Seen) => void,
  ) {
    noteCaller(opening, null, address);
    if (opening) opening.route = '/graphql';
  }

  identified(userId: string | null): void {
    noteCaller(this.opening, userId, this.address);
  }

  /** Its id is that of the connection, with a number. */
  begin(id: string, userId: string | null): Trail {
    this.over(id); // the client may use an id again
    this.begun += 1;
    const trail = begun(`${this.opening?.id ?? ''}.${this.begun}`, WEBSOCKET);
    noteCaller(trail, userId, this.address);
    trail.route = '/graphql';
    this.underWay.set(id, trail);
    return trail;
  }

  note(id: string, errors: readonly GraphQLFormattedError[] | undefined): void {
    noteErrors(this.underWay.get(id), errors);
  }

  over(id: string): void {
    const trail = this.underWay.get(id);
    if (!trail) return;
    this.underWay.delete(id);
    this.end(seen({ trail, method: WEBSOCKET, status: 200 }));
  }

  allOver(): void {
    for (const id of this.underWay.keys()) this.over(id);
  }
}
