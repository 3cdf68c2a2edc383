import type { KeyRing } from '../accounts/key-ring.ts';
import type { UsageBounds } from '../billing/cost.ts';
import type { Hold } from '../billing/hold.ts';
import type { Wallet } from '../billing/wallet.ts';
import type { Caller } from '../core/caller.ts';
import type { ChatRequest } from '../core/chat-request.ts';
import type { Model } from '../core/model.ts';
import type { SimpleExchange } from '../http/exchange.ts';
import type { WorkScheduler } from '../http/work-scheduler.ts';
import type { Bill } from '../inference/bill.ts';
import type { StartedInference } from '../inference/inference-input.ts';
import type { Dispatch } from '../routing/dispatch.ts';
import type { Search } from '../routing/search.ts';
import type { SurfaceParts } from '../surfaces/conversation.ts';
import type { ServedRequest } from '../surfaces/served-request.ts';
import type { ReadyCall } from '../upstreams/upstream.ts';
import type { FastPathReply } from './fast-path-reply.ts';
import type { DeadlineTimer } from './deadline-timer.ts';

export interface FastPathParts extends SurfaceParts {
  readonly keys: Pick<KeyRing, 'holder' | 'known' | 'remembered'>;
  readonly wallet: Pick<Wallet, 'holdNow'>;
}

/** What was found out about a request before it was sent, and is needed until it is over. */
export interface FastPathRequest {
  readonly exchange: SimpleExchange;
  readonly caller: Caller;
  readonly served: ServedRequest;
  readonly reply: FastPathReply;
  readonly isShareable: boolean;
  readonly model: Model;
  /** As the model can take it. */
  readonly request: ChatRequest;
  /** Held for, and never exceeded by the charge. */
  readonly mostItUses: UsageBounds;
  /** Where the answer is cut off, if its provider is not trusted to do so. */
  readonly cappedAt: number | undefined;
  readonly hold: Hold;
  readonly dispatch: Dispatch;
  /** What broke the answer off, named and without secrets. */
  readonly attributed: ReadyCall['attributed'];
}

/** What it takes to ask, and to leave the rest to the slow path: let go of with the first content. */
export interface BailoutContext {
  /** The request as its client sent it. */
  readonly said: ChatRequest;
  readonly search: Search;
  readonly readyCall: ReadyCall;
}

/** The fast path as one of its answers needs it. */
export interface FastPathHost {
  readonly parts: FastPathParts;
  readonly watch: DeadlineTimer;
  readonly workScheduler: WorkScheduler;
  openBill(asked: FastPathRequest, isGivenUp: () => boolean): Bill;
  /** The rest of the request is the slow path's. */
  handOver(asked: FastPathRequest, said: ChatRequest, begun: StartedInference, cutOffBy: Error | undefined): void;
  errorFrame(error: unknown, requestId: string): string;
}
