import type { KeyRing } from '../../money/accounts/key-ring.ts';
import type { UsageBounds } from '../../money/billing/ledger/cost.ts';
import type { Hold } from '../../money/billing/wallet/hold.ts';
import type { Wallet } from '../../money/billing/wallet.ts';
import type { Caller } from '../../core/caller.ts';
import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import type { Model } from 'chat-formats/chat/model.ts';
import type { SimpleExchange } from '../http/exchange.ts';
import type { WorkScheduler } from '../http/load/work-scheduler.ts';
import type { Bill } from '../inference/money/bill.ts';
import type { StartedInference } from '../inference/inference-input.ts';
import type { Dispatch } from '../routing/calls/dispatch.ts';
import type { FailoverLoop } from '../routing/calls/failover-loop.ts';
import type { SurfaceParts } from '../surfaces/conversation.ts';
import type { ServedRequest } from '../surfaces/served-request.ts';
import type { ReadyCall } from '../upstreams/upstream.ts';
import type { FastPathReply } from './fast-path-reply.ts';

export interface FastPathParts extends SurfaceParts {
  readonly keys: Pick<KeyRing, 'holder' | 'known' | 'remembered'>;
  readonly wallet: Pick<Wallet, 'holdNow'>;
}

/** A request that is ready to be sent. Kept until the request ends. */
export interface FastPathRequest {
  readonly exchange: SimpleExchange;
  readonly caller: Caller;
  readonly served: ServedRequest;
  readonly reply: FastPathReply;
  readonly model: Model;
  /** Adapted to the limits of the model. */
  readonly request: ChatRequest;
  /** The hold covers this usage, and the charge never exceeds it. */
  readonly maxUsage: UsageBounds;
  /** Where the gateway cuts the answer, in tokens, if the provider is not trusted to do so. */
  readonly cappedAt: number | undefined;
  readonly hold: Hold;
  readonly dispatch: Dispatch;
  /** Adds the upstream to an error and removes secrets from it. */
  readonly attributed: ReadyCall['attributed'];
}

/** Needed to send the call and to bail out to the slow path. Released at the first content. */
export interface BailoutContext {
  /** The request as its client sent it. */
  readonly clientRequest: ChatRequest;
  readonly search: FailoverLoop;
  readonly readyCall: ReadyCall;
}

/** The part of `FastPath` that an answer uses. */
export interface FastPathHost {
  readonly parts: FastPathParts;
  readonly workScheduler: WorkScheduler;
  openBill(request: FastPathRequest, isGivenUp: () => boolean): Bill;
  /** Passes the request to the slow path. */
  bailOut(
    request: FastPathRequest,
    clientRequest: ChatRequest,
    started: StartedInference,
    abortedBy: Error | undefined,
  ): void;
  errorFrame(error: unknown, requestId: string): string;
}
