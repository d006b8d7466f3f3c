import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import bcrypt from 'bcryptjs';
import type { HashJob } from './passwords.js';

// Linux sets the priority per thread; other systems would change the whole process.
if (process.platform === 'linux') setPriority(Math.max(getPriority(), Number(workerData)));

parentPort?.on('message', (job: HashJob) => {
  const answer = 'hash' in job ? bcrypt.compareSync(job.text, job.hash) : bcrypt.hashSync(job.text, job.cost);
  parentPort?.postMessage(answer);
});
