import type { FromWorker, ToWorker } from './messages.ts';

export interface WorkerProcess {
  send(message: ToWorker): void;
  /** Passes on every message, and once the end. Called before the process can have sent anything. */
  listen(listener: WorkerListener): void;
  kill(): void;
}

export interface WorkerListener {
  onMessage(message: FromWorker): void;
  onExit(how: string): void;
}
