import type { Hold } from '../billing/hold.ts';
import type { Wallet } from '../billing/wallet.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Caller, KeyHolder } from '../core/caller.ts';
import type { ChatRequest } from '../core/chat-request.ts';
import type { EventFlow } from '../core/event-flow.ts';
import type { Model, SurfaceTag } from '../core/model.ts';
import type { Deadline } from '../core/deadline.ts';
import type { RequestTrace } from '../core/request-trace.ts';
import type { SchemaWorkerPool } from '../guarantees/schema-worker-pool.ts';
import type { LiveUpstream } from '../routing/candidates.ts';
import type { KeyTurn } from '../routing/key-turns.ts';
import type { StartedRouting } from '../routing/router.ts';
import type { RouterOptions } from '../routing/router-parts.ts';
import type { Bill } from './bill.ts';
import type { ExpectedUsage } from './expected-usage.ts';
import type { TokenCounter } from './token-counter.ts';

/** An answer that has begun. */
export interface InferenceAnswer {
  /** The catalog id of the model that answers, whatever alias was asked for. */
  readonly model: string;
  readonly upstream: string;
  readonly flow: EventFlow;
}

/** What asking for answers takes of the rest of the gateway. */
export interface InferenceParts {
  /** The catalog and the upstreams as they are now; a request keeps the catalog it began with, and asks upstreams as they are. */
  readonly current: () => { readonly catalog: Catalog; readonly upstream: (name: string) => LiveUpstream | undefined };
  readonly router: RouterOptions;
  readonly counter: TokenCounter;
  /** Where answers are held against schemas. */
  readonly schemas: Pick<SchemaWorkerPool, 'checked'>;
  readonly expected: ExpectedUsage;
  readonly wallet: Pick<Wallet, 'hold'>;
  /** Hears of mistakes of our own that no client could be told in full. */
  readonly onError: (error: unknown) => void;
}

/** A request as its surface hands it down. */
export interface InferenceInput {
  /** The request's id. */
  readonly id: string;
  readonly caller: Caller;
  readonly surface: SurfaceTag;
  readonly request: ChatRequest;
  /** Whether nothing of the answer goes out before its end. */
  readonly isAnsweredWhole: boolean;
  readonly signal: AbortSignal;
  /** When the client will have given up, on the clock's `elapsed` scale; `undefined` when it does not say. */
  readonly giveUpMs: number | undefined;
  /** Told when the request begins to wait for a turn, and when that is over. */
  readonly waits: (isWaiting: boolean) => void;
  /** Ends the request with an error, wherever it is. */
  readonly end: (error: Error) => void;
  /** When it came, on the clock's `elapsed` scale. */
  readonly startedMs: number;
  /** Where the store could not be asked yet whether the key still is the caller's, and what it may spend: nothing is done before it was. */
  readonly confirm?: ((deadline: Deadline) => Promise<KeyHolder>) | undefined;
  /**
   * Its key as it is now, for a request that has waited: nothing if there was no news of it since. Rejects if it is good no
   * more.
   */
  readonly again?: (() => Promise<KeyHolder> | undefined) | undefined;
  /** Its key's turn, where that may have only so many requests at once: had here, and left by whoever serves the request. */
  readonly turn?: Pick<KeyTurn, 'enter'> | undefined;
  /** Its trace, if it is traced. */
  readonly trace?: RequestTrace | undefined;
  /** Said of a request that has come to its first call already. */
  readonly begun?: StartedInference | undefined;
}

/** A model, and the request as it can take it. */
export interface InferenceRequest {
  readonly model: Model;
  readonly request: ChatRequest;
}

/** How far a request has come: it is paid for, and its first call is made. */
export interface StartedInference extends InferenceRequest {
  readonly hold: Hold;
  readonly bill: Bill;
  readonly routed: StartedRouting;
}

/**
 * A request waits until the operator's bound or the client's deadline is over, whichever comes first. The bound is one for
 * all its waits together; time in which a model answers is none of it.
 */
export function deadline(
  { clock, waitMaxMs }: RouterOptions,
  { giveUpMs }: Pick<InferenceInput, 'giveUpMs'>,
  waitedMs = 0,
): number {
  return Math.min(clock.elapsed() + Math.max(0, waitMaxMs() - waitedMs), giveUpMs ?? Number.POSITIVE_INFINITY);
}
