import { dayOf } from '../../../core/time/calendar-day.ts';
import type { AttemptRecord } from '../attempt-record.ts';
import type { ComparedRecord } from './compared-record.ts';

/**
 * Why a provider may have counted a request in another way, the most telling reason first. With `more`, the reason only
 * explains an invoice that is higher than the gateway's sums.
 */
const reasonDirections = {
  /** The attempt failed after it was sent, so the provider may have charged for it. */
  failed_attempt: 'more',
  /** The answer violated a constraint and was replaced by that of a re-prompt. */
  discarded_answer: 'either',
  /**
   * The answer began here, broke off and was continued by another provider, or it is the continuation. The record has
   * the whole answer as the usage of the continuation, and the prompt of the client, without the beginning.
   */
  continued_answer: 'either',
  /** The client left, so the gateway aborted the answer. */
  client_gone: 'either',
  /** The provider reported more usage than the request can have, and the gateway clamped it. */
  clamped_usage: 'more',
  /** The provider did not report its usage. */
  estimated_usage: 'either',
  counted_usage: 'either',
  /** The answer began on one UTC day and ended on another. */
  across_midnight: 'either',
  /** An earlier attempt of the request at the same upstream failed. */
  retry: 'more',
  /** The route had no `cost`. */
  unknown_cost: 'more',
} as const;

export type ExplainingReason = keyof typeof reasonDirections;
export const explainingReasons = Object.keys(reasonDirections) as readonly ExplainingReason[];

/** A request that may explain a difference. */
export interface ExplainingRequest {
  readonly id: string;
  readonly startedAt: number;
  /** In the order of `explainingReasons`. */
  readonly reasons: readonly ExplainingReason[];
  /** Its recorded tokens; 0 if it has none. */
  readonly tokens: number;
}

/** The most requests that are listed for one difference. */
export const explainingMax = 50;

/** The reasons of one attempt of a request. */
export function reasonsFor(record: ComparedRecord, index: number, isAnswering: boolean): readonly ExplainingReason[] {
  const attempt = record.attempts[index];
  if (!attempt) return [];
  const earlier = record.attempts.slice(0, index).filter(({ upstream }) => upstream === attempt.upstream);
  const hasUsage = isAnswering && record.promptTokens !== undefined;
  const isAcross = dayOf(record.startedAt + attempt.beganMs) !== dayOf(record.startedAt + attempt.endedMs);
  const holds: Readonly<Record<ExplainingReason, boolean>> = {
    failed_attempt: mayBeCharged(attempt),
    discarded_answer: isDiscarded(attempt) || (hasUsage && record.attempts.some(isDiscarded)),
    continued_answer: hasBegun(attempt) && record.attempts.filter(hasBegun).length > 1,
    client_gone: isAnswering && record.clientGone,
    clamped_usage: hasUsage && record.notes.some((note) => clampedNote.test(note)),
    estimated_usage: hasUsage && record.usageSource === 'estimated',
    counted_usage: hasUsage && record.usageSource === 'counted',
    across_midnight: isAcross,
    retry: earlier.some((other) => other.errorCase !== undefined && !isDiscarded(other)),
    unknown_cost: hasUsage && record.providerCost === undefined,
  };
  return explainingReasons.filter((reason) => holds[reason]);
}

/** The note of `clampUsage`. */
const clampedNote = /^the provider reported .* the request can use at most /;

/** A provider does not charge for a request that it rejects. */
function mayBeCharged(attempt: AttemptRecord): boolean {
  const { errorCase, status = 0 } = attempt;
  return errorCase !== undefined && !isDiscarded(attempt) && (status < 400 || status >= 500);
}

/** Its answer began. Only a continuation makes a second one of a request. */
function hasBegun({ errorCase }: AttemptRecord): boolean {
  return errorCase === undefined;
}

function isDiscarded({ errorCase }: AttemptRecord): boolean {
  return errorCase === 'constraint-violated';
}

/** Keeps the most telling requests, and counts all. */
export class ExplainingRequests {
  readonly #counts = new Map<ExplainingReason, number>();
  readonly #lists = { more: [] as ExplainingRequest[], either: [] as ExplainingRequest[] };

  add({ id, startedAt, promptTokens = 0, completionTokens = 0 }: ComparedRecord, found: readonly ExplainingReason[]) {
    if (found.length === 0) return;
    const reasons = explainingReasons.filter((reason) => found.includes(reason));
    for (const reason of reasons) this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
    const list = this.#lists[reasons.some(isEither) ? 'either' : 'more'];
    list.push({ id, startedAt, reasons, tokens: promptTokens + completionTokens });
    if (list.length >= 2 * explainingMax)
      list.splice(0, list.length, ...list.toSorted(byTelling).slice(0, explainingMax));
  }

  /** How many requests have each reason that explains such a difference. */
  counts(difference: ExplainedDifference): Readonly<Partial<Record<ExplainingReason, number>>> {
    return Object.fromEntries([...this.#counts].filter(([reason]) => explains(reason, difference)));
  }

  /** The most telling requests first. */
  first(difference: ExplainedDifference): readonly ExplainingRequest[] {
    return [...this.#lists.more, ...this.#lists.either]
      .map((request) => ({ ...request, reasons: request.reasons.filter((reason) => explains(reason, difference)) }))
      .filter(({ reasons }) => reasons.length > 0)
      .toSorted(byTelling)
      .slice(0, explainingMax);
  }
}

interface ExplainedDifference {
  /** Whether the invoice is higher than the gateway's sums. */
  readonly isMore: boolean;
  readonly hasCost: boolean;
}

function explains(reason: ExplainingReason, { isMore, hasCost }: ExplainedDifference): boolean {
  return (isMore || isEither(reason)) && (hasCost || reason !== 'unknown_cost');
}

function isEither(reason: ExplainingReason): boolean {
  return reasonDirections[reason] === 'either';
}

function byTelling(one: ExplainingRequest, other: ExplainingRequest): number {
  return rankOf(one) - rankOf(other) || other.tokens - one.tokens || other.startedAt - one.startedAt;
}

function rankOf({ reasons: [first] }: ExplainingRequest): number {
  return first === undefined ? explainingReasons.length : explainingReasons.indexOf(first);
}
