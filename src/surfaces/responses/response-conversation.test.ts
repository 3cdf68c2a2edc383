import { expect, test } from 'vitest';
import { handClock } from '../../../test/hand-clock.ts';
import { responseLife } from '../../../test/response-life.ts';
import { buildCatalog } from '../../catalog/catalog.ts';
import type { StreamEvent } from '../../core/stream-event.ts';
import { unsaidUsage } from '../../core/usage.ts';
import { ResponseConversation } from './response-conversation.ts';
import { keepsNothing } from './response-keeping.ts';

const catalog = buildCatalog({ models: [], packages: [], sites: [] });
const caller = {
  key: {
    keyId: 'key',
    keyName: 'test',
    accountId: 'acc',
    accountName: 'tester',
    packageName: 'standard',
    models: undefined,
    spendCap: undefined,
  },
  site: 'main',
};
const value = { model: 'm', input: 'hello', stream: true };
const events: readonly StreamEvent[] = [
  { type: 'text-delta', choice: 0, text: 'Hi' },
  { type: 'finish', choice: 0, reason: 'stop', raw: 'stop' },
  { type: 'usage', usage: { ...unsaidUsage, promptTokens: 3, completionTokens: 1, source: 'upstream' } },
];

test('an answer that cannot be kept fails in order, with its items ended', async () => {
  const keeping = { ...keepsNothing, admits: () => true, keep: () => Promise.reject(new Error('the store is away')) };
  const conversation = new ResponseConversation({ clock: handClock(), keeping, catalog: () => catalog });
  const body = { value, text: '', bytes: 10, digest: undefined };
  const request = conversation.decode(await conversation.resolve(body, caller));
  const about = { id: '1a', created: 1, request };
  const flow = { start: () => {}, pause: () => {}, resume: () => {}, cancel: () => {} };
  const encoder = conversation.encoder({ ...about, answer: { model: 'm', upstream: 'u', flow } });
  const said = encoder.encode(events);
  await expect(encoder.settled?.()).rejects.toThrow('the store is away');
  const head = { ...about, model: 'm', isWaiting: false };
  const { response } = responseLife(said + conversation.errorFrame(new Error('x'), '1a', undefined, head));
  expect(response).toMatchObject({ status: 'failed', output: [{ type: 'message' }] });
});
