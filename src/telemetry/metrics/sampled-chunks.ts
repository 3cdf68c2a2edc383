import type { ChunkWatch } from '../../core/chat/chunk-watch.ts';

/** Measuring a chunk reads the clock twice, which is too much for every chunk. */
const oneIn = 16;

/** Measures one chunk in `oneIn`. */
export function sampledChunks(elapsed: () => number, took: (ms: number) => void): ChunkWatch {
  let until = 0;
  return {
    came() {
      until -= 1;
      if (until > 0) return undefined;
      until = oneIn;
      return elapsed();
    },
    left: (cameMs) => took(elapsed() - cameMs),
  };
}
