import { expect, test } from 'vitest';
import { upstreamSchema, upstreamSpec } from '../config/upstream.ts';
import { systemClock } from '../core/clock.ts';
import { upstreamsInUse } from './upstreams.ts';

const demand = { accountId: 'a', keyId: 'k', weight: 1, cost: 1, bytes: 1 };

function fixture() {
  const log: string[] = [];
  const inUse = upstreamsInUse({
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
  return { log, inUse, spec };
}

test('an upstream whose settings did not change stays as it is', () => {
  const { log, inUse, spec } = fixture();
  inUse.prepare([spec('a')]).use();
  const upstream = inUse.named('a');
  inUse.prepare([spec('a')]).use();
  expect(inUse.named('a')).toBe(upstream);
  expect(log).toEqual(['open a']);
});

test('another number of places is no other upstream', () => {
  const { log, inUse, spec } = fixture();
  inUse.prepare([spec('a', { max_concurrency: 1 })]).use();
  const queue = inUse.named('a')?.queue;
  queue?.tryEnter(demand);
  expect(queue?.tryEnter(demand)).toBeUndefined();
  inUse.prepare([spec('a', { max_concurrency: 2 })]).use();
  expect(queue?.tryEnter(demand)).toBeDefined();
  expect(log).toEqual(['open a']);
});

test('a changed upstream is replaced, a missing one closed, and running answers still count', () => {
  const { log, inUse, spec } = fixture();
  inUse.prepare([spec('a'), spec('b')]).use();
  const place = inUse.named('a')?.queue.tryEnter(demand);
  inUse.prepare([spec('a', { api_key: 'new', max_concurrency: 1 })]).use();
  expect(log).toEqual(['open a', 'open b', 'open a', 'close a', 'close b']);
  expect(inUse.named('b')).toBeUndefined();
  expect(inUse.running).toBe(1);
  expect(inUse.named('a')?.queue.tryEnter(demand)).toBeUndefined();
  place?.leave();
  expect(inUse.running).toBe(0);
});

test('every credential has a health of its own, and the report tells of each', () => {
  const { inUse, spec } = fixture();
  inUse.prepare([spec('a', { api_keys: ['one', 'two'], max_concurrency: 7 })]).use();
  expect(inUse.report()).toMatchObject([
    { name: 'a', running: 0, waiting: 0, limit: 7, credentials: [{ index: 0, state: 'healthy' }, { index: 1 }] },
  ]);
});
