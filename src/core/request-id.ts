import type { Clock } from './time/clock.ts';

/** Creates unique ids that sort by time: UTC to the millisecond, then ten random characters. */
export function requestIds(clock: Clock): () => string {
  let second = Number.NaN;
  let secondText = '';
  return () => {
    const now = clock.now();
    // Most requests arrive in the same second as the previous one.
    if (Math.floor(now / 1000) !== second) {
      second = Math.floor(now / 1000);
      secondText = new Date(second * 1000).toISOString().replace(/[-:T]/g, '').slice(0, 14);
    }
    return secondText + String(Math.floor(now % 1000)).padStart(3, '0') + fiveRandom() + fiveRandom();
  };
}

/** The request id of an id: itself, or of an answer (`chatcmpl-…`, `cmpl-…`, `msg_…`, `resp_…`), which ends in it. */
export function requestIdIn(text: string): string {
  return text.trim().replace(/^(chatcmpl|cmpl|msg|resp)[-_]/, '');
}

/** The arrival time that a request id contains. */
export function momentOfId(id: string): number | undefined {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d{3})[0-9a-z]{10}$/.exec(id) ?? [];
  if (parts.length === 0) return undefined;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0, millisecond = 0] = parts.map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second, millisecond);
}

const combinations = 36 ** 5;

function fiveRandom(): string {
  return Math.floor(Math.random() * combinations)
    .toString(36)
    .padStart(5, '0');
}
