import type { LiveQueue } from '../../api/wire.ts';

type WaitingReason = 'paused' | 'out' | 'full' | 'turn';

/** Why requests wait at an upstream, the strongest reason first. Undefined if none waits. */
export function waitingReason(queue: LiveQueue): WaitingReason | undefined {
  if (queue.waiting === 0) return undefined;
  if (queue.cooldown_until !== null) return 'paused';
  if (queue.state === 'ejected' || queue.state === 'disabled') return 'out';
  return queue.running >= queue.limit ? 'full' : 'turn';
}
