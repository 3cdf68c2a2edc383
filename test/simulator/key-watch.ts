import { calendarSpans } from '../../src/core/time/cap-period.ts';
import type { SpendLimit } from '../../src/core/caller.ts';
import { type KeyBook, type KeyHistory, keyOf, type LimitsByAccount } from './key-book.ts';
import { epochMs, type Machine } from './machine.ts';
import type { SeenCall } from './seen-call.ts';
import type { SharedStore } from './shared-store.ts';

/** A lower limit applies this long after the change: the change has arrived and the store was read again. */
const changeMs = 1500;
/** If processes share the slots of a key, the next reports of all of them must follow. */
const sharedChangeMs = 4000;

interface KeySlotWatchParts {
  readonly book: KeyBook;
  readonly accountOf: (requestId: string) => string | undefined;
  readonly machineOf: (gateway: string) => Pick<Machine, 'frozenMs' | 'state'> | undefined;
  /** True if the limit applies to all gateways together, otherwise to each. */
  readonly isShared: boolean;
  /** Since when a request may have had the slot of its key. Its call begins later if it waits for the upstream. */
  readonly hasSlotSinceMs: (call: SeenCall) => number;
  readonly broken: (rule: string) => void;
}

/** Checks every call against the concurrency limit of its key. */
export class KeySlotWatch {
  readonly #parts: KeySlotWatchParts;

  constructor(parts: KeySlotWatchParts) {
    this.#parts = parts;
  }

  /** Called when a call begins. Calls that began under a higher limit go on, but no new call may join them. */
  begins(call: SeenCall, calls: readonly SeenCall[]): void {
    const { book, accountOf, machineOf, isShared, hasSlotSinceMs, broken } = this.#parts;
    const accountId = accountOf(call.requestId);
    if (accountId === undefined) return;
    const terms = book.since(accountId, this.#receivedUntilMs(call.gateway, hasSlotSinceMs(call)));
    if (terms.length === 0 || terms.some(({ max }) => max === undefined)) return;
    const allowed = Math.max(...terms.map(({ max = 0 }) => max));
    const isOwn = ({ gateway, outcome, requestId }: SeenCall): boolean =>
      (gateway === call.gateway || (isShared && machineOf(gateway)?.state === 'running')) &&
      outcome === 'running' &&
      accountOf(requestId) === accountId;
    const running = new Set(calls.filter(isOwn).map(({ requestId }) => requestId));
    const where = isShared ? 'all gateways' : call.gateway;
    if (running.size > allowed)
      broken(`${keyOf(accountId)} had ${running.size} concurrent requests at ${where}, more than ${allowed}`);
  }

  /** Changes before this time have reached the gateway. A frozen gateway receives them after it thaws. */
  #receivedUntilMs(gateway: string, atMs: number): number {
    const { from, until } = this.#parts.machineOf(gateway)?.frozenMs ?? { from: atMs, until: Number.NEGATIVE_INFINITY };
    const lateMs = this.#parts.isShared ? sharedChangeMs : changeMs;
    return (atMs - until < lateMs ? from : atMs) - lateMs;
  }
}

/**
 * No key spends more in one cap period than the highest cap that was ever in force. A new cap does not stop a request
 * that runs without one.
 */
export function checkCaps(store: SharedStore, history: KeyHistory): readonly string[] {
  const spanAt = calendarSpans();
  return Object.entries(history).flatMap(([accountId, terms]) => {
    if (terms.some(({ cap }) => cap === undefined)) return [];
    const most = terms.reduce((high, { cap }) => (cap && cap.amount > high ? cap.amount : high), 0n);
    const renewals = terms.map(({ cap }) => cap?.renewal);
    const charges = store.rows(chargesOf, keyOf(accountId));
    // If all terms renew in the same period, the cap applies to each period. Otherwise it applies to all time.
    const [renewal] = renewals;
    const isRenewing = renewal !== undefined && renewals.every((each) => each?.period === renewal.period);
    const spent = spentBySpan(charges, isRenewing ? (at) => spanAt(renewal, at).since : () => 0);
    return [...spent]
      .filter(([, sum]) => sum > most)
      .map(([since, sum]) => `${keyOf(accountId)} spent ${sum} of ${most} since ${since - epochMs} ms`);
  });
}

/** No accounts that share a limit spend more than that together in any of its spans. */
export function checkLimits(store: SharedStore, limits: LimitsByAccount): readonly string[] {
  const spanAt = calendarSpans();
  const charges = store.rows(chargesByAccount);
  const owners = Object.entries(limits).flatMap(([accountId, each]) => each.map((limit) => ({ accountId, limit })));
  return [...Map.groupBy(owners, ({ limit }) => nameOf(limit))].flatMap(([name, group]) => {
    const accounts = new Set(group.map(({ accountId }) => accountId));
    const limit = group[0]?.limit;
    if (!limit) return [];
    const own = charges.filter((row) => accounts.has(String(row['account_id'])));
    const { renewal, amount } = limit;
    const spent = spentBySpan(own, renewal ? (at) => spanAt(renewal, at).since : () => 0);
    return [...spent]
      .filter(([, sum]) => sum > amount)
      .map(([since, sum]) => `the limit ${name} was exceeded: ${sum} since ${since - epochMs} ms`);
  });
}

function nameOf({ scope, subjectId, amount, renewal }: SpendLimit): string {
  return `${scope} ${subjectId} ${amount} ${renewal?.period ?? 'total'}`;
}

function spentBySpan(charges: ReturnType<SharedStore['rows']>, sinceOf: (at: number) => number) {
  const spent = new Map<number, bigint>();
  for (const { at, amount } of charges) {
    const since = sinceOf(Number(at));
    spent.set(since, (spent.get(since) ?? 0n) + BigInt(String(amount)));
  }
  return spent;
}

/** The charge of each request, over all its transfers. */
const chargesOf = `select reference, min(at) as at, cast(-sum(amount) as text) as amount
  from transfers where key_id = ? and kind in ('charge', 'charge-rest') group by reference`;
const chargesByAccount = `select account_id, reference, min(at) as at, cast(-sum(amount) as text) as amount
  from transfers where kind in ('charge', 'charge-rest') group by account_id, reference`;
