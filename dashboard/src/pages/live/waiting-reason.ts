import type { LiveQueue } from '../../api/wire.ts';

type WaitingReason = 'cooldown' | 'ejected' | 'full' | 'queued';

/** Why requests wait at an upstream, the strongest reason first. Undefined if none waits. */
export function waitingReason(queue: LiveQueue): WaitingReason | undefined {
  if (queue.waiting === 0) return undefined;
  if (queue.cooldown_until !== null) return 'cooldown';
  if (queue.state === 'ejected' || queue.state === 'disabled') return 'ejected';
  return queue.running >= queue.limit ? 'full' : 'queued';
}
