import type { Caller } from '../core/caller.ts';
import type { ChatRequest } from '../core/chat-request.ts';
import type { Clock } from '../core/clock.ts';
import { errorTable } from '../core/error-table.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { AttemptRecord } from '../requests/attempt-record.ts';
import type { RequestRecord } from '../requests/request-record.ts';
import type { Attempt } from '../routing/attempt.ts';
import type { VainWait } from '../routing/routed-request.ts';
import type { Bill, Receipt } from './bill.ts';
import { failureOf, recordedAttempt } from './recorded-attempt.ts';

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
  /** Not the request itself: a record may outlive what was said in it. */
  #asked: (Pick<ChatRequest, 'model' | 'userId' | 'wantsStream'> & { readonly isAnsweredWhole: boolean }) | undefined;
  #attempts: Attempt[] = [];
  #vainWait: VainWait | undefined;
  #notes: string[] = [];
  #replayOf: string | undefined;
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

  /** What was asked for, and whether it is answered with one JSON body. */
  asked({ model, userId, wantsStream }: ChatRequest, isAnsweredWhole: boolean): void {
    this.#asked = { model, userId, wantsStream, isAnsweredWhole };
  }

  attempted(attempt: Attempt): void {
    this.#attempts.push(attempt);
    if (attempt.error === undefined) this.answered();
  }

  /** It waited for a place and got none. */
  gaveUp(wait: VainWait): void {
    this.#vainWait = wait;
  }

  /** The answer has begun. */
  answered(): void {
    this.#firstByteMs ??= this.#elapsedMs();
  }

  /** What was odd and no other field says. */
  note(text: string): void {
    if (this.#notes.length < notesMax) this.#notes.push(text);
  }

  /** It gets the answer of an earlier request: nothing is asked of a provider, nothing is charged. */
  replays(earlier: { readonly id: string; readonly draft: RequestDraft }): void {
    this.#replayOf = earlier.id;
    this.#asked = earlier.draft.#asked;
    this.model = earlier.draft.model;
  }

  /** The finished record. Waits only where tokens must be counted because the provider did not say. */
  async close(end: ReplyEnd): Promise<RequestRecord> {
    const durationMs = this.#elapsedMs();
    const { bill } = this;
    const { receipt, mistake } = await settled(bill);
    const error = end.error ?? mistake;
    // For retries the draft is kept longer than the prompt, which the bill knows, should be.
    this.bill = undefined;
    const usage = receipt?.usage;
    const last = this.#attempts.at(-1);
    const isReplay = this.#replayOf !== undefined;
    return {
      id: this.#id,
      startedAt: this.#startedAt,
      accountId: this.#caller.key.accountId,
      keyId: this.#caller.key.keyId,
      userId: this.#asked?.userId,
      site: this.#caller.site,
      surface: this.#surface,
      askedModel: this.#asked?.model ?? '',
      model: this.model,
      upstream: last?.route.upstream,
      upstreamModel: last?.route.model,
      status: end.isCommitted ? 200 : statusOf(end),
      errorCase: error === undefined ? undefined : caseOf(error),
      errorDetail: error instanceof GatewayError ? error.detail : undefined,
      finish: bill?.tally.finish,
      promptTokens: usage?.promptTokens,
      completionTokens: usage?.completionTokens,
      cachedTokens: usage?.cachedTokens,
      cacheWrite5mTokens: usage?.cacheWrite5mTokens,
      cacheWrite1hTokens: usage?.cacheWrite1hTokens,
      reasoningTokens: usage?.reasoningTokens,
      toolUses: usage?.toolUses,
      usageSource: usage?.source,
      attempts: this.#attempts.length,
      trail: this.#trail(end, durationMs),
      queuePosition: this.#waits()[0]?.position,
      waitMs: this.#waitMs(),
      firstByteMs: this.#firstByteMs,
      durationMs,
      clientGone: end.isClientGone,
      askedWhole: this.#asked && !this.#asked.wantsStream,
      unwantedStream: this.#asked && end.isCommitted && !this.#asked.wantsStream && !this.#asked.isAnsweredWhole,
      notes: this.#allNotes(bill, receipt),
      cost: isReplay ? 0n : receipt?.cost,
      priceVersion: receipt && bill?.price.version,
      replayOf: this.#replayOf,
      calls: bill?.tally.calls.sums(),
    };
  }

  /** The last attempt lasts as long as its answer, and fails with it. */
  #trail({ error }: ReplyEnd, durationMs: number): readonly AttemptRecord[] {
    const trail = this.#attempts.map((attempt) => recordedAttempt(attempt, this.#startedElapsed));
    const last = trail.at(-1);
    if (!last || last.errorCase !== undefined) return trail;
    return [...trail.slice(0, -1), { ...last, endedMs: durationMs, ...failureOf(error) }];
  }

  /** Also the last one, which nothing came of. */
  #waits(): readonly VainWait[] {
    return this.#vainWait ? [...this.#attempts, this.#vainWait] : this.#attempts;
  }

  /** `undefined` for a request that never came so far. */
  #waitMs(): number | undefined {
    const waits = this.#waits();
    return waits.length === 0 ? undefined : Math.round(waits.reduce((sum, { waitMs }) => sum + waitMs, 0));
  }

  #elapsedMs(): number {
    return Math.round(this.#clock.elapsed() - this.#startedElapsed);
  }

  #allNotes(bill: Bill | undefined, receipt: Receipt | undefined): readonly string[] {
    return [
      ...this.#attempts.filter((attempt) => attempt.error !== undefined).map(describeAttempt),
      ...(bill?.tally.anomalies ?? []),
      ...(receipt?.notes ?? []),
      ...this.#notes,
    ];
  }
}

/** A charge that failed is a mistake of ours; the request is recorded all the same. */
async function settled(bill: Bill | undefined): Promise<{ receipt?: Receipt | undefined; mistake?: unknown }> {
  try {
    return { receipt: await bill?.settle() };
  } catch (mistake) {
    return { mistake };
  }
}

const notesMax = 16;

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
