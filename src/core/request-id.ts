import type { Clock } from './clock.ts';

/** Makes ids that sort by time and name one request for good: UTC to the millisecond, then ten random characters. */
export function requestIds(clock: Clock): () => string {
  let second = Number.NaN;
  let secondText = '';
  return () => {
    const now = clock.now();
    // Most requests share their second with the one before.
    if (Math.floor(now / 1000) !== second) {
      second = Math.floor(now / 1000);
      secondText = new Date(second * 1000).toISOString().replace(/[-:T]/g, '').slice(0, 14);
    }
    return secondText + String(Math.floor(now % 1000)).padStart(3, '0') + fiveRandom() + fiveRandom();
  };
}

const combinations = 36 ** 5;

function fiveRandom(): string {
  return Math.floor(Math.random() * combinations)
    .toString(36)
    .padStart(5, '0');
}
