import { beforeEach, expect, test } from 'vitest';
import { type ManualClock, manualClock } from '../../../../test/clocks/manual-clock.ts';
import type { ExchangeSummary } from '../../../serving/http/server-options.ts';
import { recordWith } from '../../../../test/fixtures/requests/record.ts';
import { RequestLines } from './request-lines.ts';
import { SurfaceNames } from '../traces/surface-name.ts';

let clock: ManualClock;
let written: [id: string, model: string | undefined][];
let lines: RequestLines;
beforeEach(() => {
  [clock, written] = [manualClock(), []];
  const write = ({ id }: ExchangeSummary, record?: { model: string | undefined }) =>
    void written.push([id, record?.model]);
  lines = new RequestLines({ clock, surfaces: new SurfaceNames('/anthropic'), write });
});

const about = { method: 'POST', address: '::1', status: 200, durationMs: 1, error: undefined, clientGone: false };
const chat = (id: string, more: Partial<ExchangeSummary> = {}) => ({
  ...about,
  id,
  path: '/v1/chat/completions',
  ...more,
});

test('the two halves of a line are joined, whichever arrives first', () => {
  lines.exchanged(chat('a'));
  lines.served(recordWith({ id: 'b' }));
  expect(written).toEqual([]);
  lines.served(recordWith({ id: 'a' }));
  lines.exchanged(chat('b'));
  expect(written).toEqual([
    ['a', 'acme-2026'],
    ['b', 'acme-2026'],
  ]);
});

test('an exchange without a record is written immediately', () => {
  lines.exchanged(chat('a', { status: 401 }));
  lines.exchanged(chat('b', { path: '/v1/models', method: 'GET' }));
  expect(written).toEqual([
    ['a', undefined],
    ['b', undefined],
  ]);
});

test('a line without its record is written after the timeout, at shutdown, or when the buffer is full', () => {
  lines.exchanged(chat('a'));
  clock.advance(1100);
  expect(written).toEqual([['a', undefined]]);
  lines.exchanged(chat('b'));
  lines.stop();
  expect(written).toHaveLength(2);
  for (let index = 0; index < 258; index += 1) lines.exchanged(chat(`c${index}`));
  expect(written).toHaveLength(4);
});
