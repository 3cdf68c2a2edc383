import { afterEach, expect, test } from 'vitest';
import { expectSound } from '../at-rest.ts';
import { chat, type RunningChat } from '../chat-client.ts';
import type { GatewayProcess } from '../crash/processes.ts';
import { gate } from '../fake-provider.ts';
import { answersWith, type NamedStage, setUpGateways } from './named-stage.ts';

let stage: NamedStage;
afterEach(() => stage.tearDown());

function ask({ port }: GatewayProcess): RunningChat {
  return chat({ port, key: stage.key, headers: { 'idempotency-key': 'name' } });
}

test('killed in mid-answer: a client with words gets an error frame, retries get none of them and one new answer', async () => {
  stage = await setUpGateways();
  const { provider, store, start } = stage;
  const [doomed, other, third] = [await start(), await start(), await start()];
  const open = gate();
  answersWith(provider, open);
  const first = ask(doomed);
  await first.says('one');
  const reader = ask(other);
  await reader.says('one');
  await doomed.kill();
  expect(await first.over).toMatchObject({ isWhole: false, isDone: false });
  const retries = [ask(other), ask(third)];
  expect(await reader.over).toMatchObject({ status: 200, isDone: false, error: { code: 'upstream_failed' } });
  await provider.call('other', 1).received;
  open.open();
  const [one, two] = await Promise.all(retries.map(({ over }) => over));
  expect(one).toMatchObject({ status: 200, isDone: true, error: undefined });
  expect(two!.text).toBe(one!.text);
  expect(provider.calls).toHaveLength(2);
  await expectSound(store);
});
