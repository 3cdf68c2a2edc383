import type { Caller } from '../core/caller.ts';
import type { ChatRequest } from '../core/chat-request.ts';
import type { Clock } from '../core/clock.ts';
import { errorTable } from '../core/error-table.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { RequestRecord } from '../requests/request-record.ts';
import type { Attempt } from '../routing/router.ts';
import type { Bill } from './bill.ts';

/** How a reply ended, as the surface saw it. */
export interface ReplyEnd {
  readonly error: unknown;
  readonly isClientGone: boolean;
  /** Whether 200 went out; if not, the error's own status did. */
  readonly isCommitted: boolean;
}

/** The record of one request while it is being served: each layer notes what it learns, the surface closes it. */
export class RequestDraft {
  readonly #id: string;
  readonly #caller: Caller;
  readonly #surface: string;
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #startedElapsed: number;
  #request: ChatRequest | undefined;
  #attempts: Attempt[] = [];
  #firstByteMs: number | undefined;
  model: string | undefined;
  bill: Bill | undefined;

  constructor(id: string, caller: Caller, surface: string, clock: Clock) {
    this.#id = id;
    this.#caller = caller;
    this.#surface = surface;
    this.#clock = clock;
    this.#startedAt = clock.now();
    this.#startedElapsed = clock.elapsed();
  }

  asked(request: ChatRequest): void {
    this.#request = request;
  }

  attempted(attempt: Attempt): void {
    this.#attempts.push(attempt);
    if (attempt.error === undefined) this.#firstByteMs = this.#elapsedMs();
  }

  /** The finished record. Waits only where tokens must be counted because the provider did not say. */
  async close(end: ReplyEnd): Promise<RequestRecord> {
    const durationMs = this.#elapsedMs();
    const receipt = await this.bill?.settle();
    const usage = receipt?.usage;
    const last = this.#attempts.at(-1);
    return {
      id: this.#id,
      startedAt: this.#startedAt,
      accountId: this.#caller.key.accountId,
      keyId: this.#caller.key.keyId,
      userId: this.#request?.userId,
      site: this.#caller.site,
      surface: this.#surface,
      askedModel: this.#request?.model ?? '',
      model: this.model,
      upstream: last?.route.upstream,
      upstreamModel: last?.route.model,
      status: end.isCommitted ? 200 : statusOf(end),
      errorCase: end.error === undefined ? undefined : caseOf(end.error),
      finish: this.bill?.tally.finish,
      promptTokens: usage?.promptTokens,
      completionTokens: usage?.completionTokens,
      cachedTokens: usage?.cachedTokens,
      reasoningTokens: usage?.reasoningTokens,
      usageSource: usage?.source,
      attempts: this.#attempts.length,
      waitMs: last && Math.round(this.#attempts.reduce((sum, attempt) => sum + attempt.waitMs, 0)),
      firstByteMs: this.#firstByteMs,
      durationMs,
      clientGone: end.isClientGone,
      notes: [
        ...this.#attempts.filter((attempt) => attempt.error !== undefined).map(describeAttempt),
        ...(this.bill?.tally.anomalies ?? []),
        ...(receipt?.notes ?? []),
      ],
      cost: receipt?.cost,
      priceVersion: receipt && this.bill?.price.version,
      calls: this.bill?.tally.calls.sums(),
    };
  }

  #elapsedMs(): number {
    return Math.round(this.#clock.elapsed() - this.#startedElapsed);
  }
}

/** The usual notation for a client that closed the connection before any status was sent. */
const clientClosedStatus = 499;

function statusOf(end: ReplyEnd): number {
  return end.isClientGone ? clientClosedStatus : errorTable[caseOf(end.error)].status;
}

function caseOf(error: unknown): keyof typeof errorTable {
  return error instanceof GatewayError ? error.case : 'internal-error';
}

function describeAttempt({ route, error }: Attempt): string {
  return `${route.upstream} (${route.model}): ${caseOf(error)}`;
}
