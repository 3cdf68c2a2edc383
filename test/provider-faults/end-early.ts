import { setImmediate as turn } from 'node:timers/promises';
import type { ProviderKind } from '../provider-kinds/provider-kind.ts';
import type { EarlyEnd } from './early-ends.ts';
import { scene } from './scene.ts';
import { AnswerRecorder } from './answer-recorder.ts';

/** The reason of the abort. */
export const reason = new Error('the client has left');

/**
 * Ends a request at this moment: aborted with a reason, or cancelled by the client. Resolves when
 * the provider has lost its connection. No time passes on the clock of the upstream.
 */
export async function endEarly(
  kind: ProviderKind,
  earlyEnd: EarlyEnd,
  how: 'aborted' | 'cancelled',
): Promise<AnswerRecorder> {
  const leaving = new AbortController();
  const stage = await scene(kind, earlyEnd.reply(kind), earlyEnd.scene);
  const recorder = new AnswerRecorder();
  try {
    const opening = stage.open(leaving.signal);
    recorder.record(opening);
    await earlyEnd.moment({ stage, recorder, opening });
    if (how === 'aborted') leaving.abort(reason);
    else (await opening).cancel();
    recorder.close();
    await stage.provider.drained();
    stage.upstream.close();
    await turn();
    if (stage.clock.pending > 0) throw new Error(`${stage.clock.pending} timers are left`);
    return recorder;
  } finally {
    await stage.close();
  }
}
