import { expect, test } from 'vitest';
import { upstreamSchema, upstreamSpec } from '../config/upstream.ts';
import { fleet } from './fleet.ts';

function fixture() {
  const log: string[] = [];
  const ships = fleet(({ name }) => {
    log.push(`open ${name}`);
    return { name, open: () => Promise.reject(new Error('unused')), close: () => void log.push(`close ${name}`) };
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
  const slots = ships.lane('a')?.slots;
  slots?.tryAcquire();
  expect(slots?.tryAcquire()).toBeUndefined();
  ships.apply([spec('a', { max_concurrency: 2 })]);
  expect(slots?.tryAcquire()).toBeTypeOf('function');
  expect(log).toEqual(['open a']);
});

test('a changed upstream is replaced, a missing one closed, and running answers still count', () => {
  const { log, ships, spec } = fixture();
  ships.apply([spec('a'), spec('b')]);
  const release = ships.lane('a')?.slots.tryAcquire();
  ships.apply([spec('a', { api_key: 'new' })]);
  expect(log).toEqual(['open a', 'open b', 'open a', 'close a', 'close b']);
  expect(ships.lane('b')).toBeUndefined();
  expect(ships.running).toBe(1);
  release?.();
  expect(ships.running).toBe(0);
});
