import { expect, test } from 'vitest';
import { upstreamSchema, upstreamSpec } from '../config/upstream.ts';
import { systemClock } from '../core/clock.ts';
import { fleet } from './fleet.ts';

const visitor = { accountId: 'a', keyId: 'k', weight: 1, cost: 1, bytes: 1 };

function fixture() {
  const log: string[] = [];
  const ships = fleet({
    clock: systemClock,
    open: ({ name, apiKeys }) => {
      log.push(`open ${name}`);
      return {
        name,
        credentials: apiKeys?.length ?? 1,
        open: () => Promise.reject(new Error('unused')),
        close: () => void log.push(`close ${name}`),
      };
    },
    healthChanged: () => {},
    bounds: () => ({ requests: 100, bytes: 1e6 }),
  });
  const spec = (name: string, more: object = {}) =>
    upstreamSpec(upstreamSchema.parse({ name, kind: 'openai', base_url: 'http://127.0.0.1:1', ...more }));
  return { log, ships, spec };
}

test('an upstream whose settings did not change stays as it is', () => {
  const { log, ships, spec } = fixture();
  ships.apply([spec('a')]);
  const lane = ships.lane('a');
  ships.apply([spec('a')]);
  expect(ships.lane('a')).toBe(lane);
  expect(log).toEqual(['open a']);
});

test('another number of places is no other upstream', () => {
  const { log, ships, spec } = fixture();
  ships.apply([spec('a', { max_concurrency: 1 })]);
  const queue = ships.lane('a')?.queue;
  queue?.tryEnter(visitor);
  expect(queue?.tryEnter(visitor)).toBeUndefined();
  ships.apply([spec('a', { max_concurrency: 2 })]);
  expect(queue?.tryEnter(visitor)).toBeDefined();
  expect(log).toEqual(['open a']);
});

test('a changed upstream is replaced, a missing one closed, and running answers still count', () => {
  const { log, ships, spec } = fixture();
  ships.apply([spec('a'), spec('b')]);
  const turn = ships.lane('a')?.queue.tryEnter(visitor);
  ships.apply([spec('a', { api_key: 'new', max_concurrency: 1 })]);
  expect(log).toEqual(['open a', 'open b', 'open a', 'close a', 'close b']);
  expect(ships.lane('b')).toBeUndefined();
  expect(ships.running).toBe(1);
  expect(ships.lane('a')?.queue.tryEnter(visitor)).toBeUndefined();
  turn?.leave();
  expect(ships.running).toBe(0);
});

test('every credential is a channel of its own, and the report tells of each', () => {
  const { ships, spec } = fixture();
  ships.apply([spec('a', { api_keys: ['one', 'two'], max_concurrency: 7 })]);
  expect(ships.report()).toMatchObject([
    { name: 'a', running: 0, waiting: 0, limit: 7, credentials: [{ index: 0, state: 'healthy' }, { index: 1 }] },
  ]);
});
