import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import bcrypt from 'bcryptjs';
import type { HashJob } from './passwords.js';

/** Hashing takes what everything else leaves of the processor. */
const NICENESS = 10;

// Only on Linux is it this thread's alone.
if (process.platform === 'linux') setPriority(Math.max(getPriority(), NICENESS));

parentPort?.on('message', (job: HashJob) => {
  const answer = 'hash' in job ? bcrypt.compareSync(job.text, job.hash) : bcrypt.hashSync(job.text, job.cost);
  parentPort?.postMessage(answer);
});
