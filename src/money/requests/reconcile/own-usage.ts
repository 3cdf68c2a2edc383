import { type Day, dayOf } from '../../../core/time/calendar-day.ts';
import type { Nano } from '../../../core/money.ts';
import type { AttemptRecord } from '../attempt-record.ts';
import { answeringAttempt, type ComparedRecord } from './compared-record.ts';
import { type ExplainingRequest, ExplainingRequests, reasonsFor } from './explaining-requests.ts';

/*
 * The gateway's side of a comparison with a provider's invoice, from the records of requests.
 *
 * Exact, as long as the records exist:
 * - the number of attempts at an upstream, by UTC day, upstream model and credential (a record keeps the first 15
 *   attempts and the last);
 * - the tokens of answers whose usage the provider reported (`usageSource` is `upstream`), unless the gateway clamped
 *   them, which a note of the record says;
 * - the charges of the accounts.
 *
 * Not exact:
 * - The provider's cost follows from the `cost` of the route. It is unknown for a route without one.
 * - The tokens and the cost of a failed attempt are unknown. Its provider may have charged for it.
 * - A record has the sum of all its answers. If a re-prompt went to another model or credential, the whole sum counts
 *   for the last answer. Discarded answers that the gateway pays for are part of the cost, but not of the tokens.
 * - Counted and estimated usage may differ from the provider's count, as may the usage of an aborted answer.
 * - Providers may count a request on the day on which it ended. The gateway counts it on the day of the attempt.
 * - A call that was sent twice, because its kept connection closed before any response byte, is one attempt.
 * - A credential is an index into the upstream's list. After a change of that list it may mean another key.
 *
 * Not computed: records older than `requests.retention` are deleted. The rollups of days outlive them, but do not
 * distinguish models and credentials. They only show how many records of a day are missing. Tests of an upstream, and
 * requests of a process that was killed, have no record at all.
 */

/** Token counts and money of one side. */
export interface Figures {
  /** All input tokens, cached ones included. */
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  readonly cost: Nano;
}

/** The usage that is compared as one: of a UTC day, a model of the upstream, and a credential. */
export interface UsageKey {
  readonly day: Day;
  /** The upstream's name for the model. */
  readonly model: string;
  /** Index of the credential; `undefined` if it is not known, or all are compared together. */
  readonly credential?: number | undefined;
}

/** The attempts of one key. */
export interface OwnFigures extends Figures {
  readonly attempts: number;
  readonly failedAttempts: number;
  /** Requests with usage, and those of them whose provider cost is not known. */
  readonly answers: number;
  readonly answersWithoutCost: number;
  /** Charges of the accounts for these answers. */
  readonly charged: Nano;
}

export interface OwnLine extends OwnFigures {
  readonly key: UsageKey;
  readonly explaining: Pick<ExplainingRequests, 'counts' | 'first'>;
}

export interface ComparedUsage {
  readonly upstream: string;
  /** Whether credentials are compared separately. */
  readonly byCredential: boolean;
  /** The first and the last day. */
  readonly from: Day;
  readonly to: Day;
}

/** Sums of the records that are added, by key. Its size depends on days, models and credentials, not on requests. */
export class OwnUsage {
  readonly #compared: ComparedUsage;
  readonly #lines = new Map<string, MutableLine>();

  constructor(compared: ComparedUsage) {
    this.#compared = compared;
  }

  get lines(): readonly OwnLine[] {
    return [...this.#lines.values()];
  }

  add(record: ComparedRecord): void {
    const { upstream } = this.#compared;
    const answering = answeringAttempt(record);
    if (record.upstream === upstream) this.#addUsage(record, answering);
    const explained = new Map<MutableLine, Set<ExplainingRequest['reasons'][number]>>();
    for (const [index, attempt] of record.attempts.entries()) {
      if (attempt.upstream !== upstream) continue;
      const line = this.#lineOf(record, attempt);
      if (!line) continue;
      line.attempts += 1;
      if (attempt.errorCase !== undefined) line.failedAttempts += 1;
      const reasons = explained.get(line) ?? new Set();
      for (const reason of reasonsFor(record, index, attempt === answering)) reasons.add(reason);
      explained.set(line, reasons);
    }
    for (const [line, reasons] of explained) line.explaining.add(record, [...reasons]);
  }

  #addUsage(record: ComparedRecord, answering: AttemptRecord | undefined): void {
    const { promptTokens, completionTokens, cachedTokens = 0, cost = 0n, providerCost } = record;
    const line = this.#lineOf(record, answering);
    if (!line || promptTokens === undefined) return;
    line.input += promptTokens;
    line.output += completionTokens ?? 0;
    line.cached += cachedTokens;
    line.cost += providerCost ?? 0n;
    line.charged += cost;
    line.answers += 1;
    if (providerCost === undefined) line.answersWithoutCost += 1;
  }

  #lineOf(record: ComparedRecord, attempt: AttemptRecord | undefined): MutableLine | undefined {
    const key = usageKeyOf(this.#compared, record, attempt);
    if (!key) return undefined;
    const name = keyName(key);
    const line = this.#lines.get(name) ?? { key, ...noFigures, explaining: new ExplainingRequests() };
    this.#lines.set(name, line);
    return line;
  }
}

/** The key that an attempt counts for; `undefined` if it began on another day. */
function usageKeyOf(
  { byCredential, from, to }: ComparedUsage,
  record: ComparedRecord,
  attempt: AttemptRecord | undefined,
): UsageKey | undefined {
  const day = dayOf(record.startedAt + (attempt?.beganMs ?? 0));
  const model = attempt?.model ?? record.upstreamModel;
  if (model === undefined || day < from || day > to) return undefined;
  return { day, model, credential: byCredential ? attempt?.credential : undefined };
}

export function keyName({ day, model, credential }: UsageKey): string {
  return `${day} ${credential ?? '-'} ${model}`;
}

export const noFigures: OwnFigures = {
  input: 0,
  cached: 0,
  output: 0,
  cost: 0n,
  attempts: 0,
  failedAttempts: 0,
  answers: 0,
  answersWithoutCost: 0,
  charged: 0n,
};

type MutableLine = { -readonly [Name in keyof OwnFigures]: OwnFigures[Name] } & {
  readonly key: UsageKey;
  readonly explaining: ExplainingRequests;
};
