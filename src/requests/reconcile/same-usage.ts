import type { Store } from '../../store/store.ts';
import type { AttemptRecord } from '../attempt-record.ts';
import { answeringAttempt, type ComparedRecord } from './compared-record.ts';
import { explainingMax, type ExplainingRequest, reasonsFor } from './explaining-requests.ts';
import { type ComparedUsage, keyName, usageKeyOf } from './own-usage.ts';
import { comparedRecords } from './read-own-usage.ts';
import type { ReconciledLine } from './reconcile.ts';

/**
 * Adds the requests whose usage is exactly the difference of their line. Reads the records of the days with differences
 * again, because a difference is only known after all of them are added up.
 */
export async function withSameUsage(
  store: Store,
  query: ComparedUsage,
  lines: readonly ReconciledLine[],
): Promise<readonly ReconciledLine[]> {
  const wanted = new Map(lines.filter(hasTokens).map((line) => [keyName(line.key), new SameUsage(line)]));
  const days = lines.filter(hasTokens).map(({ key }) => key.day);
  if (days.length === 0) return lines;
  const narrowed = { ...query, from: Math.min(...days), to: Math.max(...days) };
  for await (const record of comparedRecords(store, narrowed)) {
    const answering = answeringAttempt(record);
    const key = record.upstream === query.upstream ? usageKeyOf(narrowed, record, answering) : undefined;
    if (key && answering && isPlain(record, answering)) wanted.get(keyName(key))?.add(record);
  }
  return lines.map((line) => wanted.get(keyName(line.key))?.explained ?? line);
}

/** Whether no other reason already explains why the provider counted the answer differently. */
function isPlain(record: ComparedRecord, answering: AttemptRecord): boolean {
  const reasons = reasonsFor(record, record.attempts.indexOf(answering), true);
  return reasons.every((reason) => reason === 'unknown_cost' || reason === 'retry');
}

/** Whether the difference has tokens to look for. */
function hasTokens({ different, difference: { input, output } }: ReconciledLine): boolean {
  return different.length > 0 && (input ?? 0) !== 0 && Math.sign(input ?? 0) * Math.sign(output ?? 0) >= 0;
}

class SameUsage {
  readonly #line: ReconciledLine;
  readonly #found: ExplainingRequest[] = [];
  #count = 0;

  constructor(line: ReconciledLine) {
    this.#line = line;
  }

  add({ id, startedAt, promptTokens = 0, completionTokens = 0 }: ComparedRecord): void {
    const { input = 0, output } = this.#line.difference;
    if (promptTokens !== Math.abs(input) || completionTokens !== Math.abs(output ?? completionTokens)) return;
    this.#count += 1;
    if (this.#found.length < explainingMax)
      this.#found.push({ id, startedAt, reasons: ['same_usage'], tokens: promptTokens + completionTokens });
  }

  get explained(): ReconciledLine {
    if (this.#count === 0) return this.#line;
    const { reasons, requests } = this.#line;
    const others = new Map(requests.map((request) => [request.id, request]));
    const found = this.#found.map((request) => {
      const known = others.get(request.id)?.reasons ?? [];
      others.delete(request.id);
      return { ...request, reasons: [...request.reasons, ...known] };
    });
    return {
      ...this.#line,
      reasons: { same_usage: this.#count, ...reasons },
      requests: [...found, ...others.values()].slice(0, explainingMax),
    };
  }
}
