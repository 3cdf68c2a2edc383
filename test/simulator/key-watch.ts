import { capSpans } from '../../src/core/cap-period.ts';
import { type KeyBook, type KeyHistory, keyOf } from './key-book.ts';
import { epochMs, type Machine } from './machine.ts';
import type { SeenCall } from './seen-call.ts';
import type { SharedStore } from './shared-store.ts';

/** A lower limit counts for who comes when its news have arrived and the store was read again. */
const newsMs = 1500;

interface TurnWatchParts {
  readonly book: KeyBook;
  readonly accountOf: (requestId: string) => string | undefined;
  readonly machineOf: (gateway: string) => Pick<Machine, 'stillMs'> | undefined;
  readonly broken: (rule: string) => void;
}

/** Looks on while providers are asked with keys that may have only so many requests at once. */
export class TurnWatch {
  readonly #parts: TurnWatchParts;

  constructor(parts: TurnWatchParts) {
    this.#parts = parts;
  }

  /** A call begins. What ran before under a higher limit goes on, but nothing is begun beside it. */
  begins(call: SeenCall, calls: readonly SeenCall[]): void {
    const { book, accountOf, broken } = this.#parts;
    const accountId = accountOf(call.requestId);
    if (accountId === undefined) return;
    const terms = book.since(accountId, this.#heardMs(call));
    if (terms.length === 0 || terms.some(({ max }) => max === undefined)) return;
    const allowed = Math.max(...terms.map(({ max = 0 }) => max));
    const isOwn = ({ gateway, outcome, requestId }: SeenCall): boolean =>
      gateway === call.gateway && outcome === 'running' && accountOf(requestId) === accountId;
    const running = new Set(calls.filter(isOwn).map(({ requestId }) => requestId));
    if (running.size > allowed)
      broken(`${keyOf(accountId)} had ${running.size} of ${allowed} requests at once at ${call.gateway}`);
  }

  /** What had been made known by then has reached its gateway: one that stood still hears of it when it goes on. */
  #heardMs({ gateway, atMs }: SeenCall): number {
    const { from, until } = this.#parts.machineOf(gateway)?.stillMs ?? { from: atMs, until: Number.NEGATIVE_INFINITY };
    return (atMs - until < newsMs ? from : atMs) - newsMs;
  }
}

/**
 * No key has spent more of a span than the highest cap that was ever in force. A request that ran without a cap when one
 * was set is not stopped by it.
 */
export function capsBroken(store: SharedStore, history: KeyHistory): readonly string[] {
  const spanAt = capSpans();
  return Object.entries(history).flatMap(([accountId, terms]) => {
    if (terms.some(({ cap }) => cap === undefined)) return [];
    const most = terms.reduce((high, { cap }) => (cap && cap.amount > high ? cap.amount : high), 0n);
    const renewals = terms.map(({ cap }) => cap?.renewal);
    const charges = store.rows(chargesOf, keyOf(accountId));
    // Where all terms renew alike, each span has the cap for itself; otherwise there is one for all time.
    const [renewal] = renewals;
    const isRenewing = renewal !== undefined && renewals.every((each) => each?.period === renewal.period);
    const spent = new Map<number, bigint>();
    for (const { at, amount } of charges) {
      const since = isRenewing ? spanAt(renewal, Number(at)).since : 0;
      spent.set(since, (spent.get(since) ?? 0n) + BigInt(String(amount)));
    }
    return [...spent]
      .filter(([, sum]) => sum > most)
      .map(([since, sum]) => `${keyOf(accountId)} spent ${sum} of ${most} since ${since - epochMs} ms`);
  });
}

/** What was charged for each request, all of its lines together. */
const chargesOf = `select reference, min(at) as at, cast(-sum(amount) as text) as amount
  from transfers where key_id = ? and kind in ('charge', 'charge-rest') group by reference`;
