import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'vitest';
import { gate } from '../fake-provider.ts';
import type { ProviderKind } from '../provider-kinds/provider-kind.ts';
import type { Fault } from './fault.ts';
import { type Scene, scene } from './scene.ts';
import { Witness } from './witness.ts';

/** Asks a provider of this kind that has this fault, and hears what becomes of it. Nothing is left open afterwards. */
export async function suffer(kind: ProviderKind, fault: Fault): Promise<Witness> {
  const heard = gate();
  const stage = await scene(kind, fault.reply(kind, { heard: heard.opened }), fault.scene);
  const witness = new Witness();
  try {
    witness.listenTo(stage.ask());
    await isUnderWay(stage, witness, fault);
    await witness.hears(({ text }) => text.startsWith(fault.expected(kind).text));
    heard.open();
    const { timers = 0 } = fault;
    await expect.poll(() => stage.clock.pending, { interval: 1, message: 'timers run' }).toBeGreaterThanOrEqual(timers);
    if (fault.borneMs !== undefined) await bear(stage, witness, fault);
    await witness.over;
    await stage.leave();
    if (stage.clock.pending > 0) throw new Error(`${stage.clock.pending} timers are left`);
    return witness;
  } finally {
    await stage.close();
  }
}

/** The provider has the request, or the request is over; a provider that cannot be had has a connection at most. */
async function isUnderWay({ call, provider }: Scene, witness: Witness, { scene: place }: Fault): Promise<void> {
  if (place === undefined) return Promise.race([call.received.then(() => {}), witness.over]);
  const hasBegun = (): boolean => provider.connections.accepted > 0 || witness.isOver;
  await expect.poll(hasBegun, { interval: 1, message: 'the provider has a connection' }).toBe(true);
}

const stepMs = 500;

/** Lets time pass, which is when the request must come to its end, and not before. */
async function bear({ clock }: Scene, witness: Witness, { borneMs = 0, isTalking = false }: Fault): Promise<void> {
  for (let passedMs = 0; passedMs < borneMs; passedMs += stepMs) {
    if (witness.isOver) throw new Error(`given up after ${passedMs} ms`);
    const before = witness.said.length;
    if (isTalking) await witness.hears(({ said }) => said.length > before);
    else await turn();
    clock.pass(stepMs);
  }
  await turn();
  if (!witness.isOver) throw new Error(`still borne after ${borneMs} ms`);
}
