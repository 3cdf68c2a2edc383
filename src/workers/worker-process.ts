import type { FromWorker, ToWorker } from './messages.ts';

/** A worker process as its parent sees it. */
export interface WorkerProcess {
  send(message: ToWorker): void;
  /**
   * Passes every message to the listener, and once the end of the process. Called before the process can have sent
   * anything.
   */
  listen(listener: WorkerListener): void;
  /** Kills the process at once. */
  kill(): void;
}

export interface WorkerListener {
  onMessage(message: FromWorker): void;
  onExit(how: string): void;
}
