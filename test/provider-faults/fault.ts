import type { ErrorCase } from 'chat-formats/error-table.ts';
import type { ScriptedReply } from '../fakes/fake-provider.ts';
import type { ProviderKind } from '../provider-kinds/provider-kind.ts';
import type { SceneOptions } from './scene.ts';

/** A fault of a provider, and the outcome that the request must have, with every protocol. */
export interface Fault {
  /** Completes the sentence "a provider that …". */
  readonly name: string;
  reply(kind: ProviderKind, stage: FaultStage): ScriptedReply;
  readonly scene?: SceneOptions;
  /**
   * The timeout that ends the request, counted from the arrival of all expected words. Omitted if the fault ends it.
   */
  readonly timeoutMs?: number;
  /** The number of timers that must run before the test advances the clock. Default: 0. */
  readonly timers?: number;
  /** Whether it sends tens of megabytes. The fast suite runs it with one kind per decoder only. */
  readonly isLarge?: boolean;
  /** Whether it sends events until the timeout. */
  readonly keepsSending?: boolean;
  expected(kind: ProviderKind): FaultOutcome;
}

/** Lets a provider wait for the reader of its answer. */
export interface FaultStage {
  /** Resolves when all expected words have arrived. */
  readonly wordsArrived: Promise<void>;
}

/** The outcome of a request. An error without text means that the gateway may retry elsewhere. */
export interface FaultOutcome {
  readonly ending: 'complete' | ErrorCase;
  readonly text: string;
  /** The provider's code, for the client. */
  readonly code?: string | undefined;
  /** The provider's usage after the plausibility checks. `undefined` if it reported none. */
  readonly usage?: { readonly promptTokens: number; readonly completionTokens: number } | undefined;
  /** The status that routing uses. */
  readonly status?: number;
  readonly retryAfterMs?: number | undefined;
}

export const failed: FaultOutcome = { ending: 'upstream-failed', text: '' };
export const timedOut: FaultOutcome = { ending: 'upstream-timeout', text: '' };
export const brokenOff: FaultOutcome = { ending: 'upstream-failed', text: 'Hel' };
export const complete: FaultOutcome = { ending: 'complete', text: 'Hello' };

/** The words and the usage of the answer in which all faults occur. */
export const words = ['Hel', 'lo'] as const;
export const counts = { prompt: 7, completion: 2 } as const;
