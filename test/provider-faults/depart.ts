import { setImmediate as turn } from 'node:timers/promises';
import type { ProviderKind } from '../provider-kinds/provider-kind.ts';
import type { Departure } from './departures.ts';
import { scene } from './scene.ts';
import { Witness } from './witness.ts';

/** The reason of the abort. */
export const reason = new Error('the client has left');

/**
 * Ends a request at this moment: aborted with a reason (`cut off`), or cancelled by the client (`bored`). Resolves when
 * the provider has lost its connection. No time passes on the clock of the upstream.
 */
export async function depart(kind: ProviderKind, departure: Departure, how: 'cut off' | 'bored'): Promise<Witness> {
  const leaving = new AbortController();
  const stage = await scene(kind, departure.reply(kind), departure.scene);
  const witness = new Witness();
  try {
    const opening = stage.open(leaving.signal);
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
