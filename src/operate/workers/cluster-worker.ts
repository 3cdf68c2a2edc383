import cluster, { type Worker as NodeWorker } from 'node:cluster';
import type { FromWorker, WorkerProcess } from './messages.ts';

/** Environment variable that marks a process as a worker before its first message. */
export const workerVariable = 'CHAT_GATEWAY_WORKER';

/**
 * Starts workers of this program with its own arguments. All of them accept from one listening socket, which outlives
 * each of them: if a worker leaves or has crashed, another one serves new connections. See
 * docs/decisions/0018-workers.md.
 */
export function workerStarter(): () => WorkerProcess {
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  // JSON cannot represent every value of a configuration.
  cluster.setupPrimary({ args: process.argv.slice(2), serialization: 'advanced' });
  return () => workerProcess(cluster.fork({ [workerVariable]: '1' }));
}

function workerProcess(worker: NodeWorker): WorkerProcess {
  return {
    send(message) {
      // The exit event reports a worker that has just ended.
      if (worker.isConnected()) worker.send(message, () => {});
    },
    listen(listener) {
      worker.on('error', () => {});
      worker.on('message', (message: FromWorker) => listener.onMessage(message));
      worker.on('exit', (code, signal) => listener.onExit(signal ?? `exit status ${code}`));
    },
    kill: () => void worker.process.kill('SIGKILL'),
  };
}
