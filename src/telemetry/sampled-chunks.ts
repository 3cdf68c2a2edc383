import type { ChunkWatch } from '../core/chunk-watch.ts';

/** Looking at a piece costs two looks at the clock, which all of them together should not. */
const oneIn = 16;

/** Measures one piece in so many. */
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
