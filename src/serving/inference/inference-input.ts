import type { Hold } from '../../money/billing/wallet/hold.ts';
import type { Wallet } from '../../money/billing/wallet.ts';
import type { Catalog } from '../../money/catalog/catalog.ts';
import type { Caller, KeyHolder } from '../../core/caller.ts';
import type { PlacedThings } from '../../core/thing-place.ts';
import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import type { EventFlow } from 'chat-formats/chat/event-flow.ts';
import type { Model, SurfaceTag } from 'chat-formats/chat/model.ts';
import type { Deadline } from '../../core/time/deadline.ts';
import type { RequestTrace } from '../../core/request-trace.ts';
import type { SchemaWorkerPool } from './constraints/schema-worker-pool.ts';
import type { LiveUpstream } from '../routing/candidates/candidates.ts';
import type { IdleTerms } from '../routing/fair-queue/idle-terms.ts';
import type { KeySlot } from '../routing/slots/key-slots.ts';
import type { StartedRouting } from '../routing/router.ts';
import type { RouterOptions } from '../routing/router-parts.ts';
import type { AnswerMeter, Bill } from './money/bill.ts';
import type { ExpectedUsage } from './tokens/expected-usage.ts';
import type { TokenCounter } from './tokens/token-counter.ts';

/** An answer that has begun. */
export interface InferenceAnswer {
  /** The catalog id of the model that answers, not the alias in the request. */
  readonly model: string;
  readonly upstream: string;
  readonly flow: EventFlow;
  readonly meter: AnswerMeter;
}

/** The parts of the gateway that inference needs. */
export interface InferenceParts {
  /** The current catalog and upstreams. A request keeps its catalog, but always uses the current upstreams. */
  readonly current: () => { readonly catalog: Catalog; readonly upstream: (name: string) => LiveUpstream | undefined };
  readonly router: RouterOptions;
  readonly counter: TokenCounter;
  /** Validates answers against schemas. */
  readonly schemas: Pick<SchemaWorkerPool, 'checked'>;
  readonly expected: ExpectedUsage;
  readonly wallet: Pick<Wallet, 'hold'>;
  /** What providers store, and for which account. */
  readonly things: PlacedThings;
  /** Reports internal errors whose details no client receives. */
  readonly onError: (error: unknown) => void;
}

/** A request from a surface. */
export interface InferenceInput {
  readonly id: string;
  readonly caller: Caller;
  readonly surface: SurfaceTag;
  readonly request: ChatRequest;
  /** Whether nothing of the answer goes out before its end. */
  readonly isJsonReply: boolean;
  readonly signal: AbortSignal;
  /** The client's own timeout, on the clock's `elapsed` scale; undefined if the client does not send it. */
  readonly clientDeadlineMs: number | undefined;
  /** Called when the request starts and when it stops waiting for a slot. */
  readonly waits: (isWaiting: boolean) => void;
  /** Called before each call of a provider. May abort the signal. */
  readonly willCall?: (() => void) | undefined;
  /** Ends the request with an error at any stage. */
  readonly end: (error: Error) => void;
  /** When the request arrived, on the clock's `elapsed` scale. */
  readonly startedMs: number;
  /** Set if the store has not yet confirmed the key and its spend cap. The request must not proceed before it has. */
  readonly confirm?: ((deadline: Deadline) => Promise<KeyHolder>) | undefined;
  /**
   * Re-reads the key of a request that has waited; undefined if the key has not changed. Rejects if it is no longer
   * valid.
   */
  readonly reloadKey?: (() => Promise<KeyHolder> | undefined) | undefined;
  /** The slot of a key with a concurrency limit. Inference enters it; the surface that serves the request leaves it. */
  readonly keySlot?: Pick<KeySlot, 'enter' | 'giveBack'> | undefined;
  readonly trace?: RequestTrace | undefined;
  /** Set for a request of the idle class. Its deadline replaces the queue timeout. */
  readonly idle?: IdleTerms | undefined;
  /** Set for a request of the fast path whose first call is already made. */
  readonly started?: StartedInference | undefined;
}

/** A model, and the request adapted to it. */
export interface InferenceRequest {
  readonly model: Model;
  readonly request: ChatRequest;
}

/** The state of a request that has a hold and whose first call is made. */
export interface StartedInference extends InferenceRequest {
  readonly hold: Hold;
  readonly bill: Bill;
  readonly routed: StartedRouting;
}

/**
 * The end of the operator's maximum wait or of the client's timeout, whichever comes first. All waits of a request
 * share the maximum; the time in which a model answers does not count. A request of the idle class has its own deadline.
 */
export function deadline(
  { clock, waitMaxMs }: RouterOptions,
  { clientDeadlineMs, idle }: Pick<InferenceInput, 'clientDeadlineMs' | 'idle'>,
  waitedMs = 0,
): number {
  const queueTimeoutMs = idle?.deadlineMs ?? clock.elapsed() + Math.max(0, waitMaxMs() - waitedMs);
  return Math.min(queueTimeoutMs, clientDeadlineMs ?? Number.POSITIVE_INFINITY);
}
