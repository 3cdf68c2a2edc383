import type { FromWorker, ToWorker } from './messages.ts';

/** A process that serves, as its parent holds it. */
export interface WorkerProcess {
  send(message: ToWorker): void;
  /** Hears everything it says, and once that it is gone. Called before it can have said anything. */
  listen(listener: WorkerListener): void;
  /** Ends it as it stands. */
  kill(): void;
}

export interface WorkerListener {
  heard(message: FromWorker): void;
  gone(how: string): void;
}
