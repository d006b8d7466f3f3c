import { parentPort } from 'node:worker_threads';
import bcrypt from 'bcryptjs';
import type { HashJob } from './passwords.js';

parentPort?.on('message', (job: HashJob) => {
  const answer = 'hash' in job ? bcrypt.compareSync(job.text, job.hash) : bcrypt.hashSync(job.text, job.cost);
  parentPort?.postMessage(answer);
});
