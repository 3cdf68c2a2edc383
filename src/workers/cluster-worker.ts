import cluster, { type Worker as NodeWorker } from 'node:cluster';
import type { FromWorker } from './messages.ts';
import type { WorkerProcess } from './worker-process.ts';

/** Tells a process that it is a worker, before it has heard anything. */
export const workerVariable = 'CHAT_GATEWAY_WORKER';

/**
 * Starts workers of this program with its own arguments. All of them accept from one listening socket, which outlives each
 * of them: who connects while one leaves or has died is served by another. See docs/decisions/0018-workers.md.
 */
export function workerStarter(): () => WorkerProcess {
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  // Configurations have more in them than JSON can say.
  cluster.setupPrimary({ args: process.argv.slice(2), serialization: 'advanced' });
  return () => heldProcess(cluster.fork({ [workerVariable]: '1' }));
}

function heldProcess(worker: NodeWorker): WorkerProcess {
  return {
    send(message) {
      // One that has just died is heard of by its end.
      if (worker.isConnected()) worker.send(message, () => {});
    },
    listen(listener) {
      worker.on('error', () => {});
      worker.on('message', (message: FromWorker) => listener.heard(message));
      worker.on('exit', (code, signal) => listener.gone(signal ?? `exit status ${code}`));
    },
    kill: () => void worker.process.kill('SIGKILL'),
  };
}
