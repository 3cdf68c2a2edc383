import { costOf, savedByCaches } from '../../money/billing/ledger/cost.ts';
import { costLines, encodeCostLines, isFlat } from '../../money/billing/ledger/cost-lines.ts';
import { shortAndLong } from 'chat-formats/cache-lifetime.ts';
import { caseOf } from 'chat-formats/gateway-error.ts';
import type { Nano } from '../../core/money.ts';
import type { ServiceLevel } from 'chat-formats/price.ts';
import type { RequestMeasurements } from '../../money/requests/request-measurements.ts';
import type { RequestRecord } from '../../money/requests/request-record.ts';
import type { Attempt } from '../routing/calls/attempt.ts';
import type { QueueTimeout } from '../routing/routed-request.ts';
import type { Bill, Receipt } from './money/bill.ts';
import { recordedAttempt } from './recorded-attempt.ts';

/** The part of the request record that comes from inference. */
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
  | 'attemptCount'
  | 'attempts'
  | 'queuePosition'
  | 'waitMs'
  | 'firstByteMs'
  | 'notes'
  | 'cost'
  | 'providerCost'
  | 'cacheSavings'
  | 'priceVersion'
  | 'costLines'
  | 'calls'
  | 'constraints'
  | 'answeredMs'
  | 'failedModels'
  | 'measured'
> & {
  /** The error of a failed charge, which is an internal error. */
  readonly chargeError: unknown;
};

/** Everything collected while the request ran. */
export interface OutcomeDetails {
  readonly model: string | undefined;
  readonly attempts: readonly Attempt[];
  /** The attempt that gave the answer, if it is not the last. */
  readonly answered?: Attempt | undefined;
  /** Notes on fallback models. */
  readonly notes?: readonly string[];
  readonly constraints?: RequestRecord['constraints'];
  readonly fallbacks?: RequestMeasurements['fallbacks'];
  readonly failedModels?: RequestRecord['failedModels'];
  readonly queueTimeout: QueueTimeout | undefined;
  /** How long it waited for a slot of its key, whether it got one or not. */
  readonly keyWaitMs?: number | undefined;
  /** How long it waited for slots before its first attempt, apart from the wait of that attempt. */
  readonly earlyWaitMs?: number;
  readonly bill: Bill | undefined;
  readonly receipt: Receipt | undefined;
  readonly chargeError: unknown;
  /** When the request arrived, on the clock's `elapsed` scale. */
  readonly startedMs: number;
}

export function inferenceOutcome(details: OutcomeDetails): InferenceOutcome {
  const { model, attempts, answered, queueTimeout, bill, receipt, chargeError, startedMs, constraints, fallbacks } =
    details;
  const { failedModels } = details;
  const usage = receipt?.usage;
  const [shortWrites, longWrites] = usage ? shortAndLong(usage) : [];
  const last = answered ?? attempts.at(-1);
  // Includes a last wait that ended without a slot.
  const waits: readonly QueueTimeout[] = queueTimeout ? [...attempts, queueTimeout] : attempts;
  const answer = answered ?? attempts.find(({ error }) => error === undefined);
  return {
    model,
    upstream: last?.route.upstream,
    upstreamModel: last?.route.model,
    finish: bill?.usageMeter.finish,
    promptTokens: usage?.promptTokens,
    completionTokens: usage?.completionTokens,
    cachedTokens: usage?.cachedTokens,
    cacheWrite5mTokens: shortWrites,
    cacheWrite1hTokens: longWrites,
    reasoningTokens: usage?.reasoningTokens,
    toolUses: usage?.toolUses,
    usageSource: usage?.source,
    attemptCount: attempts.length,
    attempts: attempts.map((attempt) => recordedAttempt(attempt, startedMs)),
    queuePosition: waits[0]?.position,
    waitMs: waitedMs(waits, details.keyWaitMs),
    firstByteMs: answer && Math.round(answer.endedMs - startedMs),
    notes: notesOf(details),
    cost: receipt?.cost,
    providerCost: providerCostOf(last, receipt, bill?.requested),
    cacheSavings: savingsOf(bill, receipt),
    priceVersion: receipt && bill?.price.version,
    costLines: costLinesOf(bill, receipt),
    calls: bill?.usageMeter.calls.sums(),
    constraints: constraints?.length ? constraints : undefined,
    answeredMs: bill?.answeredMs === undefined ? undefined : Math.round(bill.answeredMs - startedMs),
    failedModels: failedModels?.length ? failedModels : undefined,
    measured: {
      startedMs,
      attempts,
      queueTimeoutMs: queueTimeout?.waitMs,
      earlyWaitMs: details.earlyWaitMs ?? 0,
      answeredMs: bill?.answeredMs,
      settledMs: bill?.settledMs,
      pieces: bill?.usageMeter.pieces ?? 0,
      ...(fallbacks?.length && { fallbacks }),
      ...(receipt?.isOverstated && { isOverstated: true }),
    },
    chargeError,
  };
}

/** Total wait for slots, of its key and at upstreams; undefined if it never queued. */
function waitedMs(waits: readonly QueueTimeout[], keyWaitMs: number | undefined): number | undefined {
  if (waits.length === 0 && keyWaitMs === undefined) return undefined;
  return Math.round(waits.reduce((sum, { waitMs }) => sum + waitMs, keyWaitMs ?? 0));
}

/** The provider's price for the answer, discarded answers included. The cost of failed attempts is unknown. */
function providerCostOf(
  last: Attempt | undefined,
  receipt: Receipt | undefined,
  requested: ServiceLevel | undefined,
): Nano | undefined {
  const cost = last?.route.cost;
  if (!cost || !receipt) return undefined;
  return costOf([...receipt.answers, ...receipt.unpaid], cost, requested);
}

/** Only for prices whose calculation the record does not show. */
function costLinesOf(bill: Bill | undefined, receipt: Receipt | undefined): string | undefined {
  if (!bill || !receipt || receipt.cost === 0n) return undefined;
  if (isFlat(bill.price, receipt.usage) && receipt.answers.every(({ parts }) => parts === undefined)) return undefined;
  return encodeCostLines(costLines(receipt.answers, bill.price, bill.requested));
}

/** A request that was not charged has no savings. */
function savingsOf(bill: Bill | undefined, receipt: Receipt | undefined): Nano | undefined {
  if (!bill || !receipt || receipt.cost === 0n) return undefined;
  const saved = receipt.answers.reduce((sum, usage) => sum + savedByCaches(usage, bill.price, bill.requested), 0n);
  return saved === 0n ? undefined : saved;
}

/** Notes in chronological order; empty for most requests. */
function notesOf({ attempts, notes: inferenceNotes = [], bill, receipt }: OutcomeDetails): readonly string[] {
  const notes: string[] = [];
  for (const { route, error } of attempts) {
    if (error !== undefined) notes.push(`${route.upstream} (${route.model}): ${caseOf(error)}`);
  }
  notes.push(...inferenceNotes, ...(bill?.usageMeter.anomalies ?? []), ...(receipt?.notes ?? []));
  return notes;
}
