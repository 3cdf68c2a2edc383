import { Worker } from 'node:worker_threads';
import { estimatedTokens } from './estimated-tokens.ts';

/** Counts tokens for answers whose provider did not say how many there were. */
export interface TokenCounter {
  /** Token counts of the texts, in order. Never rejects: a text that cannot be counted in time is estimated. */
  count(texts: readonly string[]): Promise<readonly number[]>;
  stop(): Promise<void>;
}

const countTimeoutMs = 5000;

/**
 * The tokenizer lives in a worker thread that starts with the first need: loading its vocabulary takes long enough to
 * stall every stream of the process.
 */
export function tokenCounter(): TokenCounter {
  let worker: Worker | undefined;
  let nextId = 0;
  const waiting = new Map<number, (counts: readonly number[] | undefined) => void>();

  function running(): Worker {
    if (worker) return worker;
    const started = new Worker(new URL(`./token-counter-worker${import.meta.url.slice(-3)}`, import.meta.url));
    started.unref();
    started.on('message', (answer: { id: number; counts: number[] }) => waiting.get(answer.id)?.(answer.counts));
    started.on('error', () => {
      worker = undefined;
      for (const settle of waiting.values()) settle(undefined);
    });
    worker = started;
    return started;
  }

  async function count(texts: readonly string[]): Promise<readonly number[]> {
    const id = nextId++;
    const counts = await new Promise<readonly number[] | undefined>((resolve) => {
      const timer = setTimeout(() => resolve(undefined), countTimeoutMs);
      waiting.set(id, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      running().postMessage({ id, texts });
    });
    waiting.delete(id);
    return counts ?? texts.map(estimatedTokens);
  }

  return {
    count,
    stop: async () => {
      await worker?.terminate();
    },
  };
}
