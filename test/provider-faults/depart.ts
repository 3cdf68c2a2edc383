import { setImmediate as turn } from 'node:timers/promises';
import type { ProviderKind } from '../provider-kinds/provider-kind.ts';
import type { Departure } from './departures.ts';
import { scene } from './scene.ts';
import { Witness } from './witness.ts';

/** Why the client is cut off. */
export const reason = new Error('the client has left');

/**
 * Lets a client leave at this moment: cut off with a reason, or because it lost interest. Resolves when the provider has
 * lost its connection, which takes no time at all on the clock of the upstream.
 */
export async function depart(kind: ProviderKind, departure: Departure, how: 'cut off' | 'bored'): Promise<Witness> {
  const leaving = new AbortController();
  const stage = await scene(kind, departure.reply(kind), departure.scene);
  const witness = new Witness();
  try {
    const opening = stage.ask(leaving.signal);
    witness.listenTo(opening);
    await departure.moment({ stage, witness, opening });
    if (how === 'cut off') leaving.abort(reason);
    else (await opening).cancel();
    witness.close();
    await stage.provider.drained();
    stage.upstream.close();
    await turn();
    if (stage.clock.pending > 0) throw new Error(`${stage.clock.pending} timers are left`);
    return witness;
  } finally {
    await stage.close();
  }
}
