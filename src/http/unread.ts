import type { Socket } from 'node:net';

/** In bytes between two sweeps: the slowest pace that a client may read at, which is 16 kB a second. */
const SLOWEST_PACE = 8_192;

/** In sweeps: how far behind that pace a client may fall. One that reads nothing gets there after 8 seconds. */
const FARTHEST_BEHIND = 16;

interface Reader {
  /** In bytes: the amount buffered for the client at the last look. */
  held: number;
  /** In bytes: the amount that the client had read at the last sweep. */
  taken: number;
  /** In bytes: how far the client was behind the slowest pace at the last sweep. */
  behind: number;
  /** Consecutive sweeps that have found something buffered. */
  sweeps: number;
}

/**
 * Cuts off clients that leave answers unread: each one that reads too slowly; and while all together leave more than
 * `limit` bytes, those that have cost the most. It measures sockets, and so covers every kind of answer, and any
 * number of answers on one connection.
 */
export class Unread {
  private readonly readers = new Map<Socket, Reader>();
  /** In bytes: never less than is buffered, since every socket that buffers more is looked at. */
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

  /**
   * Call it at regular intervals. Time is counted in sweeps, so that a stall of the process is not held against
   * clients.
   */
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
      reader.behind = Math.max(0, reader.behind + due); // a client that was fast earlier earns no credit
      reader.taken = taken;
      reader.sweeps += 1;
      if (reader.behind > FARTHEST_BEHIND * this.slowestPace) socket.destroy();
    }
  }

  /** Whether a client is behind the slowest pace by this number of sweeps. */
  isBehind(socket: Socket, sweeps: number): boolean {
    return (this.readers.get(socket)?.behind ?? 0) >= sweeps * this.slowestPace;
  }

  private look(socket: Socket, reader: Reader): void {
    const held = socket.destroyed ? 0 : socket.writableLength;
    this.total += held - reader.held;
    reader.held = held;
    if (this.total <= this.limit || this.isReliefDue) return;
    this.isReliefDue = true;
    queueMicrotask(() => this.relieve()); // not in the middle of a write
  }

  /** Clients that have held much for long are cut off first. One that has just begun to read has cost little yet. */
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

/** The bytes that have left this process. The stream's own counter includes only complete writes. */
function takenFrom(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: { bytesWritten: number; writeQueueSize: number } };
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}
