import cluster from 'node:cluster';
import type { Config } from '../../base/config.js';
import { currentRequestId } from '../../base/request.js';
import { createLog } from '../../telemetry/log.js';
import { shareOf } from '../startup/worker-share.js';
import { Ending } from './ending.js';
import { serve } from './serve.js';
import { FIRST_WORKER, type FromPrimary, type FromWorker } from './worker-messages.js';

/**
 * One of several processes on a port. It drains when the primary tells it to, or has died: the leader's work, and its
 * place, then fall to others.
 */
export async function serveAsWorker(config: Config): Promise<void> {
  const { worker } = cluster;
  if (!worker) throw new Error('This process has no primary');
  worker.exitedAfterDisconnect = true; // else Node ends a worker that is cut off in the middle of its answers
  const ending = new Ending(() => {}); // the primary tells
  process.once('disconnect', () => ending.hasBegun || ending.ask());
  process.on('message', (message: FromPrimary) => message === 'drain' && ending.ask());
  // A terminal and some supervisors signal every process. The primary decides, so that all stop in order.
  const onSignal = () => (process.connected ? send('signalled') : ending.ask());
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  process.on('SIGHUP', () => {});

  const log = createLog({ ...config, requestId: currentRequestId }).child({ worker: worker.id });
  const isLeader = worker.id === FIRST_WORKER;
  const serving = await serve({ config: shareOf(config), log, isLeader, isWorker: true });
  const { description, keep, stop, metrics } = serving;
  ending.drainsBy(stop);
  process.on('message', (message: FromPrimary) => {
    if (message === 'be the leader') void keep();
    if (message === 'send the metrics') metrics?.values().then((values) => send({ metrics: values }));
  });
  send({ listens: description });
}

/** A primary that dies meanwhile shows by 'disconnect'. */
function send(message: FromWorker): void {
  process.send?.(message, undefined, undefined, () => {});
}
