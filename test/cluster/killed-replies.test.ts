import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { FailpointName } from '../../src/core/failpoint.ts';
import { expectSound } from '../at-rest.ts';
import { type ChatOutcome, chat, type RunningChat } from '../chat-client.ts';
import type { GatewayProcess } from '../crash/processes.ts';
import { chunk, finish, gate, sse, usage } from '../fakes/fake-provider.ts';
import { answersWith, chargeOf, type IdempotencyStage, recordOf, setUpGateways } from './idempotency-stage.ts';

/** Covers each moment of docs/operations.md, "An Idempotency-Key through kill -9". */
let stage: IdempotencyStage;
/** A gateway that is never killed. */
let other: GatewayProcess;
let name = '';
let callsBefore = 0;
beforeAll(async () => {
  stage = await setUpGateways();
  other = await stage.start();
});
afterEach(() => expectSound(stage.store));
afterAll(() => stage.tearDown());

/** Sends a request with the Idempotency-Key of the current test. */
function sendNamed({ port }: GatewayProcess): RunningChat {
  return chat({ port, key: stage.key, headers: { 'idempotency-key': name } });
}

/** A gateway that kills itself at a failpoint of its first answer, or that the test kills. */
async function doomedGateway(at?: FailpointName): Promise<GatewayProcess> {
  name = at ?? expect.getState().currentTestName!.slice(0, 200);
  callsBefore = stage.provider.calls.length;
  return stage.start({ ...(at && { failpoint: { name: at, count: 1 } }) });
}

const calls = () => stage.provider.calls.length - callsBefore;

/** The retry got a newly generated answer, with its own charge. */
async function expectNewAnswer(retry: ChatOutcome): Promise<void> {
  expect(retry).toMatchObject({ status: 200, isDone: true, error: undefined });
  const { notes, replayOf } = await recordOf(stage.store, retry);
  expect([notes, replayOf]).toEqual([[expect.stringContaining('is gone')], undefined]);
  expect(await chargeOf(stage.store, retry)).toBeGreaterThan(0n);
}

test('killed before the provider call: the connection of the client breaks, and the retry generates the only answer', async () => {
  const doomed = await doomedGateway('reply.claimed');
  const open = gate();
  answersWith(stage.provider, open);
  open.open();
  expect(await sendNamed(doomed).over).toMatchObject({ status: undefined, isDone: false });
  expect(calls()).toBe(0);
  await expectNewAnswer(await sendNamed(other).over);
  expect(calls()).toBe(1);
});

test('killed during the provider call: the connection of the client breaks, and a retry generates a second answer', async () => {
  const doomed = await doomedGateway();
  const open = gate();
  const steps = [chunk({ role: 'assistant', content: 'one' }), finish('stop'), usage(10, 10), '[DONE]'];
  stage.provider.respond('other', sse([open.opened, ...steps]));
  const first = sendNamed(doomed);
  await stage.provider.call('other', callsBefore).received;
  await doomed.kill();
  expect(await first.over).toMatchObject({ status: undefined, isDone: false });
  const retry = sendNamed(other);
  open.open();
  await expectNewAnswer(await retry.over);
  expect(calls()).toBe(2);
});

test('killed in mid-answer: a remote reader gets an error frame, and all retries share one new answer', async () => {
  const doomed = await doomedGateway();
  const open = gate();
  answersWith(stage.provider, open);
  const first = sendNamed(doomed);
  await first.waitForText('one');
  const reader = sendNamed(other);
  await reader.waitForText('one');
  await doomed.kill();
  expect(await first.over).toMatchObject({ isComplete: false, isDone: false });
  const elsewhere = sendNamed(other);
  const retries = [elsewhere, sendNamed(await stage.start())];
  expect(await reader.over).toMatchObject({ status: 200, isDone: false, error: { code: 'upstream_failed' } });
  await stage.provider.call('other', callsBefore + 1).received;
  open.open();
  const [one, two] = await Promise.all(retries.map(({ over }) => over));
  expect(one).toMatchObject({ status: 200, isDone: true, error: undefined });
  expect(two!.text).toBe(one!.text);
  expect(calls()).toBe(2);
});

test.each(['ledger.settling', 'ledger.settled'] as const)(
  'killed after the last content, at %s: the client gets no end, and a retry generates a second answer',
  async (failpoint) => {
    const doomed = await doomedGateway(failpoint);
    const open = gate();
    answersWith(stage.provider, open);
    const first = sendNamed(doomed);
    await first.waitForText('one');
    open.open();
    const broken = await first.over;
    expect(broken).toMatchObject({ isComplete: false, isDone: false });
    if (failpoint === 'ledger.settled') expect(await chargeOf(stage.store, broken)).toBe(30_000n);
    await expectNewAnswer(await sendNamed(other).over);
    expect(calls()).toBe(2);
  },
);

test('killed after the reply is recorded: the client gets no end, and a retry gets the complete reply without a second charge', async () => {
  const doomed = await doomedGateway('reply.recorded');
  const open = gate();
  answersWith(stage.provider, open);
  const first = sendNamed(doomed);
  await first.waitForText('one');
  open.open();
  const broken = await first.over;
  expect(broken).toMatchObject({ isComplete: false, isDone: false });
  await expectSameAnswer(broken, await sendNamed(other).over);
});

test('killed right after [DONE]: a retry gets the same bytes from a running process and from a new one', async () => {
  const doomed = await doomedGateway();
  const open = gate();
  answersWith(stage.provider, open);
  open.open();
  const first = sendNamed(doomed);
  await first.waitForText('[DONE]');
  await doomed.kill();
  const complete = await first.over;
  const [elsewhere, restarted] = [await sendNamed(other).over, await sendNamed(await stage.start()).over];
  expect([elsewhere.text, restarted.text]).toEqual([complete.text, complete.text]);
  await expectSameAnswer(complete, elsewhere);
  await expectSameAnswer(complete, restarted);
});

/** The retry got the first reply: one provider call and one charge. */
async function expectSameAnswer(first: ChatOutcome, retry: ChatOutcome): Promise<void> {
  expect(retry).toMatchObject({ status: 200, isDone: true, error: undefined });
  expect(retry.text.startsWith(first.text)).toBe(true);
  expect((await recordOf(stage.store, retry)).replayOf).toBe(first.id);
  expect(calls()).toBe(1);
  expect(await chargeOf(stage.store, first)).toBe(30_000n);
  expect(await chargeOf(stage.store, retry)).toBeUndefined();
}
