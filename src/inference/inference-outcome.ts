import { costOf, savedByCaches } from '../billing/cost.ts';
import { caseOf } from '../core/gateway-error.ts';
import type { Nano } from '../core/money.ts';
import type { RequestMeasurements } from '../requests/measured.ts';
import type { RequestRecord } from '../requests/request-record.ts';
import type { Attempt } from '../routing/attempt.ts';
import type { QueueTimeout } from '../routing/routed-request.ts';
import type { Bill, Receipt } from './bill.ts';
import { recordedAttempt } from './recorded-attempt.ts';

/** What inference has to say of a request when it is over: its part of the record. */
export type InferenceOutcome = Pick<
  RequestRecord,
  | 'model'
  | 'upstream'
  | 'upstreamModel'
  | 'finish'
  | 'promptTokens'
  | 'completionTokens'
  | 'cachedTokens'
  | 'cacheWrite5mTokens'
  | 'cacheWrite1hTokens'
  | 'reasoningTokens'
  | 'toolUses'
  | 'usageSource'
  | 'attempts'
  | 'trail'
  | 'queuePosition'
  | 'waitMs'
  | 'firstByteMs'
  | 'notes'
  | 'cost'
  | 'providerCost'
  | 'cacheSavings'
  | 'priceVersion'
  | 'calls'
  | 'promises'
  | 'answeredMs'
  | 'failedModels'
  | 'measured'
> & {
  /** What went wrong with the charge, which is a mistake of ours. */
  readonly mistake: unknown;
};

/** What was learned on the way. */
export interface OutcomeDetails {
  readonly model: string | undefined;
  readonly attempts: readonly Attempt[];
  /** The attempt that gave the answer, where it is not the last. */
  readonly answered?: Attempt | undefined;
  /** What became of other models than the one that was asked for. */
  readonly notes?: readonly string[];
  readonly promises?: RequestRecord['promises'];
  readonly fallbacks?: RequestMeasurements['fallbacks'];
  readonly failedModels?: RequestRecord['failedModels'];
  readonly queueTimeout: QueueTimeout | undefined;
  /** How long it waited for the turn of its key, in vain or not. */
  readonly turnWaitMs?: number | undefined;
  readonly bill: Bill | undefined;
  readonly receipt: Receipt | undefined;
  readonly mistake: unknown;
  /** When the request came, on the clock's `elapsed` scale. */
  readonly startedMs: number;
}

export function inferred(learned: OutcomeDetails): InferenceOutcome {
  const { model, attempts, answered, queueTimeout, bill, receipt, mistake, startedMs, promises, fallbacks } = learned;
  const { failedModels } = learned;
  const usage = receipt?.usage;
  const last = answered ?? attempts.at(-1);
  // Also the last wait, which nothing came of.
  const waits: readonly QueueTimeout[] = queueTimeout ? [...attempts, queueTimeout] : attempts;
  const answer = answered ?? attempts.find(({ error }) => error === undefined);
  return {
    model,
    upstream: last?.route.upstream,
    upstreamModel: last?.route.model,
    finish: bill?.tally.finish,
    promptTokens: usage?.promptTokens,
    completionTokens: usage?.completionTokens,
    cachedTokens: usage?.cachedTokens,
    cacheWrite5mTokens: usage?.cacheWrite5mTokens,
    cacheWrite1hTokens: usage?.cacheWrite1hTokens,
    reasoningTokens: usage?.reasoningTokens,
    toolUses: usage?.toolUses,
    usageSource: usage?.source,
    attempts: attempts.length,
    trail: attempts.map((attempt) => recordedAttempt(attempt, startedMs)),
    queuePosition: waits[0]?.position,
    waitMs: waitedMs(waits, learned.turnWaitMs),
    firstByteMs: answer && Math.round(answer.endedMs - startedMs),
    notes: notesOf(learned),
    cost: receipt?.cost,
    providerCost: providerCostOf(last, receipt),
    cacheSavings: savingsOf(bill, receipt),
    priceVersion: receipt && bill?.price.version,
    calls: bill?.tally.calls.sums(),
    promises: promises?.length ? promises : undefined,
    answeredMs: bill?.answeredMs === undefined ? undefined : Math.round(bill.answeredMs - startedMs),
    failedModels: failedModels?.length ? failedModels : undefined,
    measured: {
      startedMs,
      attempts,
      queueTimeoutMs: queueTimeout?.waitMs,
      answeredMs: bill?.answeredMs,
      settledMs: bill?.settledMs,
      pieces: bill?.tally.pieces ?? 0,
      ...(fallbacks?.length && { fallbacks }),
      ...(receipt?.isOverstated && { isOverstated: true }),
    },
    mistake,
  };
}

/** All the time it waited for a turn, of its key and at upstreams; undefined where it never came to that. */
function waitedMs(waits: readonly QueueTimeout[], turnWaitMs: number | undefined): number | undefined {
  if (waits.length === 0 && turnWaitMs === undefined) return undefined;
  return Math.round(waits.reduce((sum, { waitMs }) => sum + waitMs, turnWaitMs ?? 0));
}

/**
 * What the provider that answered charges us, for answers that were thrown away too. What others did before it without
 * anything coming of it is not known.
 */
function providerCostOf(last: Attempt | undefined, receipt: Receipt | undefined): Nano | undefined {
  const cost = last?.route.cost;
  if (!cost || !receipt) return undefined;
  return costOf(receipt.usage, cost) + (receipt.unpaid ? costOf(receipt.unpaid, cost) : 0n);
}

/** What was not charged spared nothing. */
function savingsOf(bill: Bill | undefined, receipt: Receipt | undefined): Nano | undefined {
  if (!bill || !receipt || receipt.cost === 0n) return undefined;
  const saved = savedByCaches(receipt.usage, bill.price);
  return saved === 0n ? undefined : saved;
}

/** In the order in which it happened. Of most requests there is nothing to say. */
function notesOf({ attempts, notes: said = [], bill, receipt }: OutcomeDetails): readonly string[] {
  const notes: string[] = [];
  for (const { route, error } of attempts) {
    if (error !== undefined) notes.push(`${route.upstream} (${route.model}): ${caseOf(error)}`);
  }
  notes.push(...said, ...(bill?.tally.anomalies ?? []), ...(receipt?.notes ?? []));
  return notes;
}
