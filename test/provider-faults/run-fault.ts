import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'vitest';
import { gate } from '../fakes/fake-provider.ts';
import type { ProviderKind } from '../provider-kinds/provider-kind.ts';
import type { Fault } from './fault.ts';
import { type Scene, scene } from './scene.ts';
import { AnswerRecorder } from './answer-recorder.ts';

/** Sends a request to a provider of this kind with this fault, and records the outcome. Leaves nothing open. */
export async function runFault(kind: ProviderKind, fault: Fault): Promise<AnswerRecorder> {
  const wordsArrived = gate();
  const stage = await scene(kind, fault.reply(kind, { wordsArrived: wordsArrived.opened }), fault.scene);
  const recorder = new AnswerRecorder();
  try {
    recorder.record(stage.open());
    await waitForStart(stage, recorder, fault);
    await recorder.waitUntil(({ text }) => text.startsWith(fault.expected(kind).text));
    wordsArrived.open();
    const { timers = 0 } = fault;
    await expect.poll(() => stage.clock.pending, { interval: 1, message: 'timers run' }).toBeGreaterThanOrEqual(timers);
    if (fault.timeoutMs !== undefined) await advanceToTimeout(stage, recorder, fault);
    await recorder.over;
    await stage.leave();
    if (stage.clock.pending > 0) throw new Error(`${stage.clock.pending} timers are left`);
    return recorder;
  } finally {
    await stage.close();
  }
}

/** Waits until the provider has the request, or the request is over. With a scene, a connection is enough. */
async function waitForStart(
  { call, provider }: Scene,
  recorder: AnswerRecorder,
  { scene: sceneOptions }: Fault,
): Promise<void> {
  if (sceneOptions === undefined) return Promise.race([call.received.then(() => {}), recorder.over]);
  const hasBegun = (): boolean => provider.connections.accepted > 0 || recorder.isOver;
  await expect.poll(hasBegun, { interval: 1, message: 'the provider has a connection' }).toBe(true);
}

const stepMs = 500;

/** Advances the clock to the timeout. The request must end then, and not before. */
async function advanceToTimeout(
  { clock }: Scene,
  recorder: AnswerRecorder,
  { timeoutMs = 0, keepsSending = false }: Fault,
): Promise<void> {
  for (let passedMs = 0; passedMs < timeoutMs; passedMs += stepMs) {
    if (recorder.isOver) throw new Error(`the request ended after ${passedMs} ms`);
    const before = recorder.received.length;
    if (keepsSending) await recorder.waitUntil(({ received }) => received.length > before);
    else await turn();
    clock.advance(stepMs);
  }
  await turn();
  if (!recorder.isOver) throw new Error(`the request still runs after ${timeoutMs} ms`);
}
