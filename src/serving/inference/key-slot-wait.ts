import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Clock } from '../../core/time/clock.ts';
import { isIdleClass } from '../routing/fair-queue/idle-terms.ts';
import type { InferenceInput } from './inference-input.ts';

/** An idle request holds a slot of its key for this long without a slot of an upstream. */
const idleHoldMs = 1000;
/** Timers count whole milliseconds: a wait may time out this much before its deadline. */
const timerSlackMs = 2;

interface KeySlotWait {
  readonly clock: Clock;
  readonly bytes: number;
  readonly deadlineMs: number;
  /** Called with the wait for each slot of the key that the request gets. */
  readonly entered: (waitMs: number) => void;
  /** Called with the wait time if the wait ends without a slot. */
  readonly onQueueTimeout: (waitMs: number) => void;
}

/**
 * Takes a slot of the key, if its requests are limited, and then calls `open`, which waits for an upstream. An idle
 * request may wait there for hours. So it gives its slot back to the other requests of its key, and enters again.
 */
export async function withKeySlot<Answer>(
  { keySlot, idle, signal, waits }: Pick<InferenceInput, 'keySlot' | 'idle' | 'signal' | 'waits'>,
  { clock, bytes, deadlineMs, entered, onQueueTimeout }: KeySlotWait,
  open: (deadlineMs: number) => Promise<Answer>,
): Promise<Answer> {
  if (!keySlot) return open(deadlineMs);
  for (;;) {
    entered(await keySlot.enter({ signal, waits, onQueueTimeout, deadlineMs, bytes, idle }));
    const nowMs = clock.elapsed();
    if (!isIdleClass(idle, nowMs) || nowMs + idleHoldMs >= deadlineMs) return open(deadlineMs);
    try {
      return await open(nowMs + idleHoldMs);
    } catch (error) {
      const isOver = clock.elapsed() >= nowMs + idleHoldMs - timerSlackMs;
      if (!isOver || !(error instanceof GatewayError) || error.case !== 'overloaded') throw error;
      await keySlot.giveBack();
    }
  }
}
