import { writeFile } from 'node:fs/promises';

/** In milliseconds: how often a process that is at work says so. */
const BEAT = 1_000;

/** In milliseconds: a process that has been silent for this long is gone. */
const SILENCE = 30_000;

/** Writes a file again and again while this process is at work, for another one to see. Returns how to end it. */
export async function keepHeartbeat(file: string): Promise<() => void> {
  const beat = () => writeFile(file, '', { mode: 0o600 });
  await beat();
  const timer = setInterval(() => void beat().catch(() => {}), BEAT);
  timer.unref();
  return () => clearInterval(timer);
}

/** Judges by this process's own time, since clocks of the system may step. */
export class Heartbeat {
  private last: number | undefined;
  private seenAt = performance.now();

  /** Whether a file, last written at `mtime`, has not been written for so long that its writer must be gone. */
  hasStopped(mtime: number | undefined): boolean {
    if (mtime !== this.last) {
      this.last = mtime;
      this.seenAt = performance.now();
    }
    return performance.now() - this.seenAt > SILENCE;
  }
}
