import { parentPort } from 'node:worker_threads';
import bcrypt from 'bcryptjs';
import type { HashJob } from './passwords.js';

// Without a lower priority: beside one busy process per core it made thirty sign-ups wait for more than five seconds,
// and requests of others are no faster for it.

parentPort?.on('message', (job: HashJob) => {
  const answer = 'hash' in job ? bcrypt.compareSync(job.text, job.hash) : bcrypt.hashSync(job.text, job.cost);
  parentPort?.postMessage(answer);
});
