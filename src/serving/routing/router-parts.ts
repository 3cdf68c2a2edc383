import type { Clock } from '../../core/time/clock.ts';
import type { LiveUpstream } from './candidates/candidates.ts';
import type { QueueLimit } from './fair-queue/queue-limit.ts';
import type { RetryBudget } from './calls/retry-budget.ts';

export interface RouterOptions {
  readonly clock: Clock;
  readonly waitMaxMs: () => number;
  readonly random: () => number;
  /** Names a conversation for providers: the same in every process, and it reveals nothing about the content. */
  readonly conversationName: (conversation: string) => string;
  readonly budget: RetryBudget;
  readonly queueLimit: Pick<QueueLimit, 'enter' | 'leave'>;
}

export interface RouterParts extends RouterOptions {
  readonly upstream: (name: string) => LiveUpstream | undefined;
}
