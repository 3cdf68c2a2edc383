import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isDeep } from '../../../../test/depth.ts';
import { seededRandom } from '../../../../test/crash/random.ts';
import { textDelta } from '../../../../test/fakes/flows.ts';
import {
  modelOf,
  nothingLeft,
  refused,
  type Script,
  scriptedUpstreams,
} from '../../../../test/fakes/scripted-upstreams.ts';
import type { EventFlow, EventSink } from 'chat-formats/chat/event-flow.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const serviceMs = 1000;
const durationMs = 120_000;

/** An answer that takes `serviceMs`. */
function slowAnswer(ended: () => void): EventFlow {
  let sink: EventSink | undefined;
  const speak = setTimeout(() => sink?.events([textDelta('x')]), serviceMs / 2);
  const end = setTimeout(() => {
    ended();
    sink?.events([{ type: 'finish', choice: 0, reason: 'stop', raw: 'stop' }]);
    sink?.end();
  }, serviceMs);
  return {
    start: (to) => void (sink = to),
    pause: () => {},
    resume: () => {},
    cancel: () => {
      clearTimeout(speak);
      clearTimeout(end);
      ended();
    },
  };
}

interface Load {
  readonly slots: number;
  /** Whether the provider refuses a call while `running` others run there. */
  readonly refuses: (running: number, nowMs: number) => boolean;
  readonly retryAfterMs?: number;
}

/**
 * Keeps an upstream busy with more requests than it has slots; returns counts of answered and refused calls by time.
 */
async function play({ slots, refuses, retryAfterMs }: Load) {
  let running = 0;
  const startedMs = performance.now();
  const answered: number[] = [];
  const refusedAt: number[] = [];
  const script: Script = async () => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    const nowMs = performance.now() - startedMs;
    if (refuses(running, nowMs)) {
      refusedAt.push(nowMs);
      throw refused(429, retryAfterMs);
    }
    running += 1;
    return slowAnswer(() => {
      running -= 1;
      answered.push(performance.now() - startedMs);
    });
  };
  const upstreams = scriptedUpstreams(
    // With few slots, one is kept free for other accounts.
    { a: { script, slots: slots < 10 ? slots + 1 : slots } },
    { random: seededRandom('throughput'), waitMaxMs: 10 * durationMs },
  );
  const model = modelOf([{ upstream: 'a' }]);
  const clients = Array.from({ length: 3 * slots }, async () => {
    while (performance.now() - startedMs < durationMs) await upstreams.call(model);
  });
  await vi.advanceTimersByTimeAsync(durationMs);
  const limit = upstreams.inUse.report()[0]?.limit;
  await vi.advanceTimersByTimeAsync(durationMs);
  await Promise.all(clients);
  expect(upstreams.leftovers()).toEqual(nothingLeft);
  const within = (times: readonly number[], fromMs: number, toMs: number) =>
    times.filter((atMs) => atMs >= fromMs && atMs < toMs).length;
  return {
    limit,
    answeredIn: (fromMs: number, toMs: number) => within(answered, fromMs, toMs),
    refusedIn: (fromMs: number, toMs: number) => within(refusedAt, fromMs, toMs),
  };
}

const storms = [
  [0.1, 1000],
  [0.02, 1000],
  [0.05, 1000],
  [0.1, undefined],
  [0.1, 3000],
] as const;
const capacities = [3, 1, 8, 12];

test.each(isDeep ? storms : storms.slice(0, 1))(
  'with %f of the calls refused at random for %s ms, an upstream goes on at nearly full speed',
  async (share, retryAfterMs) => {
    for (const slots of [4, 16]) {
      const random = seededRandom(`${share} ${retryAfterMs} ${slots}`);
      const load = { slots, refuses: () => random() < share, ...(retryAfterMs !== undefined && { retryAfterMs }) };
      const { answeredIn } = await play(load);
      const most = (slots * durationMs) / serviceMs;
      expect(answeredIn(0, durationMs)).toBeGreaterThan(0.85 * most);
    }
  },
);

test.each(isDeep ? capacities : capacities.slice(0, 1))(
  'the gateway learns that an upstream accepts %i calls at once, and keeps it busy',
  async (capacity) => {
    const { answeredIn, refusedIn, limit } = await play({ slots: 16, refuses: (running) => running >= capacity });
    expect(Math.abs((limit ?? 0) - capacity)).toBeLessThanOrEqual(1);
    const calls = answeredIn(durationMs / 2, durationMs) + refusedIn(durationMs / 2, durationMs);
    expect(answeredIn(durationMs / 2, durationMs)).toBeGreaterThan((0.85 * capacity * durationMs) / serviceMs / 2);
    expect(refusedIn(durationMs / 2, durationMs)).toBeLessThan(0.2 * calls);
  },
);

test('an upstream that refuses every call for a while gets few calls, and its answers restore full speed', async () => {
  const { answeredIn, refusedIn } = await play({ slots: 16, refuses: (_running, nowMs) => nowMs < 30_000 });
  expect(refusedIn(2000, 30_000)).toBeLessThan(60);
  expect(answeredIn(90_000, 120_000)).toBeGreaterThan(0.85 * 16 * 30);
});
