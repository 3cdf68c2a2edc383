import type { ErrorCase } from '../../src/core/error-table.ts';
import type { ScriptedReply } from '../fake-provider.ts';
import type { ProviderKind } from '../provider-kinds/provider-kind.ts';
import type { SceneOptions } from './scene.ts';

/** Something a provider does, and what must become of the request, whatever protocol the provider speaks. */
export interface Fault {
  /** A sentence about the provider. */
  readonly name: string;
  reply(kind: ProviderKind, stage: FaultStage): ScriptedReply;
  readonly scene?: SceneOptions;
  /** How long it is borne, to the millisecond, where nothing else ends it: from when all expected words were heard. */
  readonly borneMs?: number;
  /** How many timers run by the time its patience is tried, where that is not seen in what was heard. */
  readonly timers?: number;
  /** Whether it sends tens of megabytes: in the fast suite one kind of each way to read an answer is enough. */
  readonly isLarge?: boolean;
  /** Whether it goes on talking for as long as it is borne. */
  readonly isTalking?: boolean;
  expected(kind: ProviderKind): FaultOutcome;
}

/** Lets a provider wait for its listener. */
export interface FaultStage {
  /** All the words that are expected have been heard. */
  readonly heard: Promise<void>;
}

/** What a gateway makes of an answer. Nothing said and an error means that the request may be tried elsewhere. */
export interface FaultOutcome {
  readonly ending: 'complete' | ErrorCase;
  readonly text: string;
  /** The provider's code, for the client. */
  readonly code?: string | undefined;
  /** What the provider used, as far as it is believed; `undefined` when it did not say. */
  readonly usage?: { readonly promptTokens: number; readonly completionTokens: number } | undefined;
  /** What routing goes by. */
  readonly status?: number;
  readonly retryAfterMs?: number | undefined;
}

export const failed: FaultOutcome = { ending: 'upstream-failed', text: '' };
export const timedOut: FaultOutcome = { ending: 'upstream-timeout', text: '' };
export const brokenOff: FaultOutcome = { ending: 'upstream-failed', text: 'Hel' };
export const complete: FaultOutcome = { ending: 'complete', text: 'Hello' };

/** The words of the answer that all faults happen to, and what it says it used. */
export const words = ['Hel', 'lo'] as const;
export const counts = { prompt: 7, completion: 2 } as const;
