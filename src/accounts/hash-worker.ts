import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import bcrypt from 'bcryptjs';
import type { HashJob } from './passwords.js';

/**
 * A storm of sign-ups takes less from other requests so, and none of thirty at once is starved beside one busy process
 * per core: docs/decisions/passwords.md has the figures.
 */
const NICENESS = 5;

// Linux sets the priority per thread; other systems would change the whole process.
if (process.platform === 'linux') setPriority(Math.max(getPriority(), NICENESS));

parentPort?.on('message', (job: HashJob) => {
  const answer = 'hash' in job ? bcrypt.compareSync(job.text, job.hash) : bcrypt.hashSync(job.text, job.cost);
  parentPort?.postMessage(answer);
});
