import { sql } from 'kysely';
import { costOf } from '../../src/billing/cost.ts';
import { moneyText } from '../../src/billing/locked-accounts.ts';
import { verifyLedger } from '../../src/billing/verify.ts';
import { priceOf } from '../../src/config/model-price.ts';
import type { Nano } from '../../src/core/money.ts';
import type { Usage } from '../../src/core/usage.ts';
import type { Store } from '../../src/store/store.ts';
import type { Evidence, Invariant } from './evidence.ts';
import type { Delivery } from './journal.ts';
import { price } from './stage.ts';

/** What must be true of the money after every crash, with the provider's journal as the judge. */
export const moneyInvariants: Readonly<Record<string, Invariant>> = {
  'the ledger is sound': async ({ store }) =>
    (await verifyLedger(store)).checks.flatMap(({ title, violations }) =>
      violations.map((violation) => `${title}: ${violation}`),
    ),

  'no balance was below its floor at any moment that was looked at': ({ overspent }) => overspent,

  'what is set aside is set aside by a process that is known': async ({ store }) => {
    const registered = store.db.selectFrom('processes').select('id');
    const astray = store.db.selectFrom('leases').select(['process_id', 'account_id']);
    return (await astray.where('process_id', 'not in', registered).execute()).map((lease) => JSON.stringify(lease));
  },

  'no request is charged twice': async ({ store }) => {
    const charges = Map.groupBy(await chargesIn(store), ({ requestId, kind }) => `${kind} of ${requestId}`);
    return [...charges].filter(([, same]) => same.length > 1).map(([name, same]) => `${name}: ${same.length} times`);
  },

  'whoever saw the end of an answer was charged what the provider says it used': async (evidence) => {
    const charged = totals(await chargesIn(evidence.store));
    return evidence.outcomes.flatMap(({ tag, requestId, isDone }) => {
      if (!isDone) return [];
      const [delivery] = (evidence.journal.deliveries.get(tag) ?? []).filter(({ isWhole }) => isWhole);
      const amount = charged.get(requestId ?? '');
      if (amount === undefined) return [`${tag} was not charged`];
      if (!delivery) return [`${tag} was never answered by the provider`];
      const isRight = !delivery.hasToldUsage || amount === costOfAll([delivery]);
      return isRight ? [] : [`${tag}: charged ${amount}, the provider says ${costOfAll([delivery])}`];
    });
  },

  'no charge is more than what the provider was asked and delivered': async (evidence) => {
    const tags = tagsOf(evidence);
    const charged = totals(await chargesIn(evidence.store));
    return [...charged].flatMap(([requestId, amount]) => {
      const tag = tags.get(requestId);
      // Nobody was told this request's id: it is in the sum below.
      if (tag === undefined) return [];
      const most = larger(costOfAll(evidence.journal.deliveries.get(tag) ?? []), promptAtMost);
      return amount <= most ? [] : [`${tag}: charged ${amount}, delivered ${most}`];
    });
  },

  'all charges together are not more than all that was asked and delivered': async ({ store, journal }) => {
    const charges = await chargesIn(store);
    const charged = charges.reduce((sum, { amount }) => sum + amount, 0n);
    const most = costOfAll([...journal.deliveries.values()].flat()) + BigInt(charges.length) * promptAtMost;
    return charged <= most ? [] : [`charged ${charged}, delivered ${most}`];
  },

  'a row says what was charged': async ({ store, rows }) => {
    const charged = totals(await chargesIn(store));
    return [...rows.values()].flat().flatMap(({ id, cost = 0n }) => {
      const amount = charged.get(id) ?? 0n;
      return amount === cost ? [] : [`${id}: ${cost} in the row, charged ${amount}`];
    });
  },
};

/** Accounts that have less available than their floor right now. */
export async function overspentAccounts(store: Store): Promise<readonly string[]> {
  const rows = await store.db
    .selectFrom('balances')
    .select('account_id')
    .where(sql<boolean>`granted + topped_up - leased < floor`)
    .execute();
  return rows.map((row) => row.account_id);
}

interface Charge {
  readonly requestId: string;
  readonly kind: string;
  /** What the customer paid. */
  readonly amount: Nano;
}

async function chargesIn(store: Store): Promise<readonly Charge[]> {
  const rows = await store.db
    .selectFrom('transfers')
    .select(['reference', 'kind', moneyText('amount').as('amount')])
    .where('kind', 'in', ['charge', 'charge-rest'])
    .execute();
  return rows.map(({ reference, kind, amount }) => ({ requestId: reference, kind, amount: -BigInt(amount) }));
}

/** By request. */
function totals(charges: readonly Charge[]): ReadonlyMap<string, Nano> {
  const sums = new Map<string, Nano>();
  for (const { requestId, amount } of charges) sums.set(requestId, (sums.get(requestId) ?? 0n) + amount);
  return sums;
}

function tagsOf({ outcomes, rows }: Evidence): ReadonlyMap<string, string> {
  const told = outcomes.map(({ requestId, tag }) => [requestId ?? '', tag] as const);
  const stored = [...rows].flatMap(([tag, own]) => own.map(({ id }) => [id, tag] as const));
  return new Map([...told, ...stored]);
}

const modelPrice = priceOf(price);

function costOfAll(deliveries: readonly Delivery[]): Nano {
  return deliveries.reduce((sum, delivery) => sum + costOf(usageOf(delivery), modelPrice), 0n);
}

/**
 * Whoever leaves, or dies, after a request was sent and before anything came of it pays for the prompt by our count,
 * whether or not the provider ever read it. The prompts here are short.
 */
const promptAtMost = costOf(usageOf({ promptTokens: 16, completionTokens: 0 }), modelPrice);

function larger(one: Nano, other: Nano): Nano {
  return one > other ? one : other;
}

function usageOf({ promptTokens, completionTokens }: Pick<Delivery, 'promptTokens' | 'completionTokens'>): Usage {
  return {
    promptTokens,
    completionTokens,
    cachedTokens: undefined,
    cacheWrite5mTokens: undefined,
    cacheWrite1hTokens: undefined,
    reasoningTokens: undefined,
    promptAudioTokens: undefined,
    promptImageTokens: undefined,
    completionAudioTokens: undefined,
    source: 'upstream',
  };
}
