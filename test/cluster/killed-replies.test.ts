import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { FailpointName } from '../../src/core/failpoint.ts';
import { expectSound } from '../at-rest.ts';
import { type ChatOutcome, chat, type RunningChat } from '../chat-client.ts';
import type { GatewayProcess } from '../crash/processes.ts';
import { chunk, finish, gate, sse, usage } from '../fake-provider.ts';
import { answersWith, chargeOf, type NamedStage, recordOf, setUpGateways } from './named-stage.ts';

/** Each moment of docs/operations.md, "An Idempotency-Key through kill -9", at which a gateway may be killed. */
let stage: NamedStage;
/** It lives through all of them. */
let other: GatewayProcess;
let name = '';
let callsBefore = 0;
beforeAll(async () => {
  stage = await setUpGateways();
  other = await stage.start();
});
afterEach(() => expectSound(stage.store));
afterAll(() => stage.tearDown());

/** Asks under the name that all requests of one test have. */
function ask({ port }: GatewayProcess): RunningChat {
  return chat({ port, key: stage.key, headers: { 'idempotency-key': name } });
}

/** A gateway that ends itself at an instant of its first answer, or when the test kills it. */
async function doomedGateway(at?: FailpointName): Promise<GatewayProcess> {
  name = at ?? expect.getState().currentTestName!.slice(0, 200);
  callsBefore = stage.provider.calls.length;
  return stage.start({ ...(at && { failpoint: { name: at, count: 1 } }) });
}

const calls = () => stage.provider.calls.length - callsBefore;

/** What a retry gets that makes an answer of its own. */
async function expectNewAnswer(retry: ChatOutcome): Promise<void> {
  expect(retry).toMatchObject({ status: 200, isDone: true, error: undefined });
  const { notes, replayOf } = await recordOf(stage.store, retry);
  expect([notes, replayOf]).toEqual([[expect.stringContaining('is gone')], undefined]);
  expect(await chargeOf(stage.store, retry)).toBeGreaterThan(0n);
}

test('killed before the provider was asked: the client sees its connection break, and a retry is the only answer', async () => {
  const doomed = await doomedGateway('reply.claimed');
  const open = gate();
  answersWith(stage.provider, open);
  open.open();
  expect(await ask(doomed).over).toMatchObject({ status: undefined, isDone: false });
  expect(calls()).toBe(0);
  await expectNewAnswer(await ask(other).over);
  expect(calls()).toBe(1);
});

test('killed while the provider was asked: the client sees its connection break, and a retry makes another answer', async () => {
  const doomed = await doomedGateway();
  const open = gate();
  const steps = [chunk({ role: 'assistant', content: 'one' }), finish('stop'), usage(10, 10), '[DONE]'];
  stage.provider.respond('other', sse([open.opened, ...steps]));
  const first = ask(doomed);
  await stage.provider.call('other', callsBefore).received;
  await doomed.kill();
  expect(await first.over).toMatchObject({ status: undefined, isDone: false });
  const retry = ask(other);
  open.open();
  await expectNewAnswer(await retry.over);
  expect(calls()).toBe(2);
});

test('killed in mid-answer: a client with words gets an error frame, retries get none of them and one new answer', async () => {
  const doomed = await doomedGateway();
  const open = gate();
  answersWith(stage.provider, open);
  const first = ask(doomed);
  await first.says('one');
  const reader = ask(other);
  await reader.says('one');
  await doomed.kill();
  expect(await first.over).toMatchObject({ isWhole: false, isDone: false });
  const elsewhere = ask(other);
  const retries = [elsewhere, ask(await stage.start())];
  expect(await reader.over).toMatchObject({ status: 200, isDone: false, error: { code: 'upstream_failed' } });
  await stage.provider.call('other', callsBefore + 1).received;
  open.open();
  const [one, two] = await Promise.all(retries.map(({ over }) => over));
  expect(one).toMatchObject({ status: 200, isDone: true, error: undefined });
  expect(two!.text).toBe(one!.text);
  expect(calls()).toBe(2);
});

test.each(['ledger.settling', 'ledger.settled'] as const)(
  'killed behind the last content, at %s: the client sees no end, and a retry makes another answer',
  async (failpoint) => {
    const doomed = await doomedGateway(failpoint);
    const open = gate();
    answersWith(stage.provider, open);
    const first = ask(doomed);
    await first.says('one');
    open.open();
    const broken = await first.over;
    expect(broken).toMatchObject({ isWhole: false, isDone: false });
    if (failpoint === 'ledger.settled') expect(await chargeOf(stage.store, broken)).toBe(30_000n);
    await expectNewAnswer(await ask(other).over);
    expect(calls()).toBe(2);
  },
);

test('killed when the reply is recorded: the client sees no end, and a retry gets the whole reply of the one charge', async () => {
  const doomed = await doomedGateway('reply.recorded');
  const open = gate();
  answersWith(stage.provider, open);
  const first = ask(doomed);
  await first.says('one');
  open.open();
  const broken = await first.over;
  expect(broken).toMatchObject({ isWhole: false, isDone: false });
  await expectSameAnswer(broken, await ask(other).over);
});

test('killed right after [DONE]: a retry gets the same bytes, in another process and in one that is started anew', async () => {
  const doomed = await doomedGateway();
  const open = gate();
  answersWith(stage.provider, open);
  open.open();
  const first = ask(doomed);
  await first.says('[DONE]');
  await doomed.kill();
  const whole = await first.over;
  const [elsewhere, anew] = [await ask(other).over, await ask(await stage.start()).over];
  expect([elsewhere.text, anew.text]).toEqual([whole.text, whole.text]);
  await expectSameAnswer(whole, elsewhere);
  await expectSameAnswer(whole, anew);
});

/** One generation and one charge, whose reply the retry has. */
async function expectSameAnswer(first: ChatOutcome, retry: ChatOutcome): Promise<void> {
  expect(retry).toMatchObject({ status: 200, isDone: true, error: undefined });
  expect(retry.text.startsWith(first.text)).toBe(true);
  expect((await recordOf(stage.store, retry)).replayOf).toBe(first.id);
  expect(calls()).toBe(1);
  expect(await chargeOf(stage.store, first)).toBe(30_000n);
  expect(await chargeOf(stage.store, retry)).toBeUndefined();
}
