import type { Socket } from 'node:net';

/** In bytes: what a client takes between two sweeps at the slowest pace, which is 16 kB a second. */
const SLOWEST_PACE = 8_192;

/** In sweeps: how far a client may fall behind that pace; whoever takes nothing is there after 8 seconds. */
const FARTHEST_BEHIND = 16;

interface Reader {
  /** In bytes: what this process keeps for the client, when it was last looked at. */
  held: number;
  /** In bytes: what the client had taken by then. */
  taken: number;
  /** In bytes, as of the last sweep. */
  behind: number;
  /** So many sweeps in a row have found something held. */
  sweeps: number;
}

/**
 * Cuts off clients that leave answers unread: each that takes them too slowly, and where all together leave more
 * than `limit` bytes, those that have cost the most. By sockets, so that it holds for every kind of answer, and
 * however many follow each other on a connection.
 */
export class Unread {
  private readonly readers = new Map<Socket, Reader>();
  /** In bytes: never less than is held, for every socket that holds more is looked at. */
  private total = 0;
  private isReliefDue = false;

  constructor(
    private readonly limit: number,
    private readonly slowestPace = SLOWEST_PACE,
  ) {}

  follow(socket: Socket): void {
    const reader = { held: 0, taken: 0, behind: 0, sweeps: 0 };
    this.readers.set(socket, reader);
    socket.once('close', () => {
      this.readers.delete(socket);
      this.total -= reader.held;
    });
    const { write } = socket;
    socket.write = (...data: unknown[]) => {
      const hasRoom: boolean = Reflect.apply(write, socket, data);
      if (!hasRoom) this.look(socket, reader);
      return hasRoom;
    };
  }

  /** To be called at steady intervals. What counts is their number: where the process was held up, nobody is to blame. */
  sweep(): void {
    for (const [socket, reader] of this.readers) {
      this.look(socket, reader);
      if (reader.held === 0) {
        reader.sweeps = 0;
        reader.behind = 0;
        continue;
      }
      const taken = takenFrom(socket);
      const due = reader.sweeps > 0 ? this.slowestPace - (taken - reader.taken) : 0;
      reader.behind = Math.max(0, reader.behind + due); // whoever was quick before earns no rest by it
      reader.taken = taken;
      reader.sweeps += 1;
      if (reader.behind > FARTHEST_BEHIND * this.slowestPace) socket.destroy();
    }
  }

  /** Whether a client takes its answer so slowly that it is behind by what so many sweeps should have seen it take. */
  isBehind(socket: Socket, sweeps: number): boolean {
    return (this.readers.get(socket)?.behind ?? 0) >= sweeps * this.slowestPace;
  }

  private look(socket: Socket, reader: Reader): void {
    const held = socket.destroyed ? 0 : socket.writableLength;
    this.total += held - reader.held;
    reader.held = held;
    if (this.total <= this.limit || this.isReliefDue) return;
    this.isReliefDue = true;
    queueMicrotask(() => this.relieve()); // not in the middle of somebody's write
  }

  /** Whoever has held much for long goes first; somebody who has just begun to read has cost little yet. */
  private relieve(): void {
    for (const [socket, reader] of this.readers) this.look(socket, reader);
    if (this.total > this.limit) this.cutOffCostliest();
    this.isReliefDue = false;
  }

  private cutOffCostliest(): void {
    const costOf = ({ held, sweeps }: Reader) => held * (1 + sweeps);
    const byCost = [...this.readers].sort(([, one], [, other]) => costOf(other) - costOf(one));
    for (const [socket, reader] of byCost) {
      if (this.total <= this.limit) return;
      socket.destroy();
      this.look(socket, reader);
    }
  }
}

/** What has left this process. The stream itself tells only of writes that are through as a whole. */
function takenFrom(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: { bytesWritten: number; writeQueueSize: number } };
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}
