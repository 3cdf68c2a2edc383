import type { Clock } from '../core/clock.ts';
import type { LiveUpstream } from './candidates.ts';
import type { QueueLimit } from './fair-queue/queue-limit.ts';
import type { RetryBudget } from './retry-budget.ts';

export interface RouterOptions {
  readonly clock: Clock;
  readonly waitMaxMs: () => number;
  readonly random: () => number;
  /** A name for a conversation, for providers: the same everywhere, and saying nothing about it. */
  readonly conversationName: (conversation: string) => string;
  readonly budget: RetryBudget;
  /** The bounds on all that waits. */
  readonly room: Pick<QueueLimit, 'enter' | 'leave'>;
}

/** What routing a request takes besides the request: the upstreams by their names, and the rules. */
export interface RouterParts extends RouterOptions {
  readonly upstream: (name: string) => LiveUpstream | undefined;
}
