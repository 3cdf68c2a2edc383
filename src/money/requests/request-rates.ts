import type { RequestRecord } from './request-record.ts';

/** Finished requests of the last minute, per second. */
export interface Rates {
  readonly requests: number;
  readonly errors: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
}

const seconds = 60;

/** A ring buffer of 60 seconds, each with its own sums. A second that is reused starts at zero. */
export function requestRates(elapsed: () => number) {
  const ring = Array.from({ length: seconds }, () => emptySecond(-1));
  const startedMs = elapsed();

  function current(): Second {
    const second = Math.floor(elapsed() / 1000);
    const index = second % seconds;
    const known = ring[index];
    if (known?.second === second) return known;
    const fresh = emptySecond(second);
    ring[index] = fresh;
    return fresh;
  }

  return {
    /** Counts a finished request. It costs a few additions. */
    count({ errorCase, promptTokens = 0, completionTokens = 0 }: CountedRecord): void {
      const now = current();
      now.requests += 1;
      if (errorCase !== undefined) now.errors += 1;
      now.promptTokens += promptTokens;
      now.completionTokens += completionTokens;
    },
    /** Rates over the last whole minute, or since the start if that is shorter. */
    read(): Rates {
      const nowMs = elapsed();
      const oldest = Math.floor(nowMs / 1000) - seconds;
      const recent = ring.filter(({ second }) => second > oldest);
      const elapsedSeconds = Math.min(seconds, Math.max(1, (nowMs - startedMs) / 1000));
      const rate = (name: keyof Rates): number =>
        Math.round((recent.reduce((sum, second) => sum + second[name], 0) / elapsedSeconds) * 1000) / 1000;
      return {
        requests: rate('requests'),
        errors: rate('errors'),
        promptTokens: rate('promptTokens'),
        completionTokens: rate('completionTokens'),
      };
    },
  };
}

type CountedRecord = Pick<RequestRecord, 'errorCase' | 'promptTokens' | 'completionTokens'>;

type Second = Record<keyof Rates | 'second', number>;

function emptySecond(second: number): Second {
  return { second, requests: 0, errors: 0, promptTokens: 0, completionTokens: 0 };
}
