import { Worker } from 'node:worker_threads';

/** Counts one list of texts after the other, away from the event loop. */
export interface CountingThread {
  count(texts: readonly string[]): void;
  end(): Promise<unknown>;
}

/** What a thread says: that it has begun to listen, what it counted, or that it is no more. */
export interface ThreadEvents {
  ready(): void;
  counted(counts: readonly number[]): void;
  died(): void;
}

/** Texts are large and short-lived; left alone it would keep as much room for them as the whole process has for requests. */
const limits = { maxYoungGenerationSizeMb: 24 };

/** Loading the vocabulary takes long enough to stall every stream of the process; here it stalls nobody. */
export function countingThread(events: ThreadEvents): CountingThread {
  const file = new URL(`./token-counter-worker${import.meta.url.slice(-3)}`, import.meta.url);
  const worker = new Worker(file, { resourceLimits: limits });
  worker.unref();
  worker.on('message', (message: 'ready' | readonly number[]) => {
    if (message === 'ready') events.ready();
    else events.counted(message);
  });
  // An error is followed by an exit.
  worker.on('error', () => {});
  worker.on('exit', () => events.died());
  return {
    count: (texts) => worker.postMessage(texts),
    end: () => worker.terminate(),
  };
}
