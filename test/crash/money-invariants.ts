import { sql } from 'kysely';
import { chargeOf } from '../../src/money/billing/ledger/cost.ts';
import { moneyText } from '../../src/money/billing/ledger/locked-accounts.ts';
import { verifyLedger } from '../../src/money/billing/ledger/verify.ts';
import { priceOf } from '../../src/platform/config/schema/model-price.ts';
import type { Nano } from '../../src/core/money.ts';
import type { Store } from '../../src/platform/store/store.ts';
import { usageOf } from '../fixtures/dialects/usage.ts';
import type { Evidence, Invariant } from './evidence.ts';
import type { Delivery } from './journal.ts';
import { price } from './stage.ts';

/** The invariants of money after every crash, checked against the provider's journal. */
export const moneyInvariants: Readonly<Record<string, Invariant>> = {
  'the ledger is sound': async ({ store }) =>
    (await verifyLedger(store)).checks.flatMap(({ title, violations }) =>
      violations.map((violation) => `${title}: ${violation}`),
    ),

  'no sampled balance was below its floor': ({ overspent }) => overspent,

  'every lease belongs to a registered process': async ({ store }) => {
    const registered = store.db.selectFrom('processes').select('id');
    const leases = store.db.selectFrom('leases').select(['process_id', 'account_id']);
    return (await leases.where('process_id', 'not in', registered).execute()).map((lease) => JSON.stringify(lease));
  },

  'no request is charged twice': async ({ store }) => {
    const charges = Map.groupBy(await chargesIn(store), ({ requestId, kind }) => `${kind} of ${requestId}`);
    return [...charges].filter(([, same]) => same.length > 1).map(([name, same]) => `${name}: ${same.length} times`);
  },

  'a completed answer is charged for the usage that the provider recorded': async (evidence) => {
    const charged = totals(await chargesIn(evidence.store));
    return evidence.outcomes.flatMap(({ tag, requestId, isDone }) => {
      if (!isDone) return [];
      const [delivery] = (evidence.journal.deliveries.get(tag) ?? []).filter(({ isComplete }) => isComplete);
      const amount = charged.get(requestId ?? '');
      if (amount === undefined) return [`${tag} was not charged`];
      if (!delivery) return [`${tag} was never answered by the provider`];
      const isRight = !delivery.hasReportedUsage || amount === costOfAll([delivery]);
      return isRight ? [] : [`${tag}: charged ${amount}, the provider recorded ${costOfAll([delivery])}`];
    });
  },

  'no charge exceeds the cost of the prompt and the delivered output': async (evidence) => {
    const tags = tagsOf(evidence);
    const charged = totals(await chargesIn(evidence.store));
    return [...charged].flatMap(([requestId, amount]) => {
      const tag = tags.get(requestId);
      // No client received the id of this request. The sum below includes it.
      if (tag === undefined) return [];
      const most = larger(costOfAll(evidence.journal.deliveries.get(tag) ?? []), promptAtMost);
      return amount <= most ? [] : [`${tag}: charged ${amount}, delivered ${most}`];
    });
  },

  'the sum of all charges does not exceed the cost of all prompts and delivered output': async ({ store, journal }) => {
    const charges = await chargesIn(store);
    const charged = charges.reduce((sum, { amount }) => sum + amount, 0n);
    const most = costOfAll([...journal.deliveries.values()].flat()) + BigInt(charges.length) * promptAtMost;
    return charged <= most ? [] : [`charged ${charged}, delivered ${most}`];
  },

  'the cost in a row equals the charge': async ({ store, rows }) => {
    const charged = totals(await chargesIn(store));
    return [...rows.values()].flat().flatMap(({ id, cost = 0n }) => {
      const amount = charged.get(id) ?? 0n;
      return amount === cost ? [] : [`${id}: ${cost} in the row, charged ${amount}`];
    });
  },
};

/** Accounts whose available balance is below their floor now. */
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
  /** The amount that the account paid. */
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

/** The sum of charges per request. */
function totals(charges: readonly Charge[]): ReadonlyMap<string, Nano> {
  const sums = new Map<string, Nano>();
  for (const { requestId, amount } of charges) sums.set(requestId, (sums.get(requestId) ?? 0n) + amount);
  return sums;
}

function tagsOf({ outcomes, rows }: Evidence): ReadonlyMap<string, string> {
  const fromClients = outcomes.map(({ requestId, tag }) => [requestId ?? '', tag] as const);
  const fromRows = [...rows].flatMap(([tag, own]) => own.map(({ id }) => [id, tag] as const));
  return new Map([...fromClients, ...fromRows]);
}

const modelPrice = priceOf(price);

function costOfAll(deliveries: readonly Delivery[]): Nano {
  return deliveries.reduce(
    (sum, delivery) => sum + chargeOf([usageOf(delivery.promptTokens, delivery.completionTokens)], modelPrice),
    0n,
  );
}

/**
 * If the client disconnects or the gateway is killed after the request was sent and before any output, the prompt is
 * charged by the gateway's count, even if the provider never read it. The prompts here are short.
 */
const promptAtMost = chargeOf([usageOf(16, 0)], modelPrice);

function larger(one: Nano, other: Nano): Nano {
  return one > other ? one : other;
}
