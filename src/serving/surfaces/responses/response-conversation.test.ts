import { expect, test } from 'vitest';
import { manualClock } from '../../../../test/clocks/manual-clock.ts';
import { responseLife } from '../../../../test/response-life.ts';
import type { Storing } from '../../../work/responses/response-keeper.ts';
import { buildCatalog } from '../../../money/catalog/catalog.ts';
import type { StreamEvent } from 'chat-formats/chat/stream-event.ts';
import { unreportedUsage } from 'chat-formats/chat/usage.ts';
import { ResponseConversation } from './response-conversation.ts';
import { InFlightResponses } from './in-flight-responses.ts';

const catalog = buildCatalog({ models: [], packages: [], sites: [] });
const caller = {
  key: {
    keyId: 'key',
    keyName: 'test',
    accountId: 'acc',
    accountName: 'tester',
    packageName: 'standard',
    models: undefined,
  },
  site: 'main',
};
const value = { model: 'm', input: 'hello', stream: true };
const events: readonly StreamEvent[] = [
  { type: 'text-delta', choice: 0, text: 'Hi' },
  { type: 'finish', choice: 0, reason: 'stop', raw: 'stop' },
  { type: 'usage', usage: { ...unreportedUsage, promptTokens: 3, completionTokens: 1, source: 'upstream' } },
];

const meter = { measure: () => {}, isFinished: false, settle: () => Promise.resolve(undefined) };
const flow = { start: () => {}, pause: () => {}, resume: () => {}, cancel: () => {} };

/** A request with a streaming answer, and the frames sent so far. */
async function startAnswer(store: () => Promise<Storing>) {
  const notes: string[] = [];
  const unused = () => expect.unreachable('not called');
  const own = { admits: () => true, seal: () => undefined, store };
  const storage = { ...own, unseal: unused, resolve: unused, find: unused, remove: unused };
  const inFlight = new InFlightResponses();
  const inference = { current: () => ({ catalog }) };
  const conversation = new ResponseConversation({ clock: manualClock(), storage, inference, inFlight });
  const body = { value, text: '', bytes: 10, digest: undefined };
  const request = conversation.decode(await conversation.resolve(body, caller));
  const about = { id: '1a', created: 1, request };
  const encoder = conversation.encoder({
    ...about,
    reportsCost: false,
    note: (text) => void notes.push(text),
    answer: { model: 'm', upstream: 'u', flow, meter },
  });
  const frames = encoder.encode(events);
  const fail = () =>
    conversation.errorFrame(new Error('x'), '1a', undefined, { ...about, model: 'm', isWaiting: false });
  return { encoder, frames, fail, notes, isInFlight: () => inFlight.find('acc', 'resp_1a') !== undefined };
}

test('an answer that is charged but not stored in time ends complete, with a note', async () => {
  const { encoder, frames, notes } = await startAnswer(() => Promise.resolve('pending'));
  await encoder.settled?.();
  expect(responseLife(frames + encoder.done()).response).toMatchObject({ status: 'completed', store: false });
  expect(notes).toEqual(['its response was not stored before its end']);
});

test('an answer that fails after its last event ends with its items closed', async () => {
  const { encoder, frames, fail, isInFlight } = await startAnswer(() => Promise.resolve('stored'));
  await encoder.settled?.();
  const { response } = responseLife(frames + fail());
  expect(response).toMatchObject({ status: 'failed', output: [{ type: 'message' }] });
  expect(isInFlight()).toBe(false);
});

test('a client that received the end of a response finds it complete, although its record is not yet written', async () => {
  const { encoder, frames, isInFlight } = await startAnswer(() => Promise.resolve('stored'));
  await encoder.settled?.();
  expect(isInFlight()).toBe(true);
  expect(responseLife(frames + encoder.done()).response).toMatchObject({ status: 'completed' });
  expect(isInFlight()).toBe(false);
});
