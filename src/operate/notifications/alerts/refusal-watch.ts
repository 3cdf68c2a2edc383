import { sql } from 'kysely';
import type { ReachedLimit } from 'chat-formats/gateway-error.ts';
import { accountOf, scopeData } from '../../../money/billing/budgets/limit-events.ts';
import { balanceSubject } from '../../../money/billing/ledger/low-balance.ts';
import { balanceOf } from '../../../money/billing/wallet/balance.ts';
import { capPeriods, calendarSpans, zoneOf } from '../../../core/time/cap-period.ts';
import type { Clock } from '../../../core/time/clock.ts';
import { decimalText } from '../../../core/money.ts';
import { recentlyUsed } from '../../../core/recently-used.ts';
import type { ObservedState, WatchParts } from './alert-state-writer.ts';
import { eventIdOf } from '../../../platform/outbox/record-event.ts';
import type { RequestRecord } from '../../../money/requests/request-record.ts';
import { joined } from '../../../platform/store/joined.ts';
import type { Store } from '../../../platform/store/store.ts';

/** Repeated refusals of one account or key are checked at most once per this time. */
const quietMs = 30_000;
const maxRemembered = 10_000;

/**
 * Alerts that an account has no money left, or that a key or a limit has reached its end, at the first request refused for it: a
 * balance rarely reaches exactly 0. Alerts again after a credit, or when the cap has changed or renewed.
 */
export function refusalWatch({ store, clock, alertStates }: WatchParts) {
  const checkedAt = recentlyUsed<string, number>(maxRemembered);

  function observe(observed: ObservedState): void {
    const before = checkedAt.get(observed.subject);
    if (before !== undefined && clock.elapsed() - before < quietMs) return;
    checkedAt.set(observed.subject, clock.elapsed());
    alertStates.observe(observed);
  }

  return {
    served: ({ errorCase, accountId, keyId, reachedLimit }: RequestRecord): void => {
      if (errorCase === 'insufficient-balance') observe(balanceUsedUp(store, clock, accountId));
      else if (errorCase === 'key-cap-reached') observe(capReached(clock, keyId));
      else if (reachedLimit) observe(limitReached(clock, accountId, reachedLimit));
    },
  };
}

function balanceUsedUp(store: Store, clock: Clock, accountId: string): ObservedState {
  return {
    subject: balanceSubject(accountId),
    state: 'used-up',
    initial: 'enough',
    event: async (tx) => {
      const { granted, toppedUp } = await balanceOf(joined(store, tx as Parameters<typeof joined>[1]), accountId);
      const data = { balance: decimalText(granted + toppedUp) };
      return { kind: 'balance.used_up', accountId, at: clock.now(), data };
    },
  };
}

/** A cap with another amount counts as a new cap; so does the same cap in its next period. */
function capReached(clock: Clock, keyId: string): ObservedState {
  return {
    subject: `cap ${keyId}`,
    initial: '',
    state: async (tx) => {
      const key = await cappedKey(tx, keyId);
      if (!key || key.spend_cap === null) return undefined;
      const period = capPeriods.find((each) => each === key.cap_period);
      const span = period && calendarSpans()({ period, ...zoneOf(key.time_zone, key.kept_spans) }, clock.now());
      return [key.spend_cap, period ?? 'in all', span?.since ?? 0].join(' ');
    },
    event: async (tx) => {
      const key = await cappedKey(tx, keyId);
      if (!key || key.spend_cap === null) return undefined;
      const cap = decimalText(BigInt(key.spend_cap));
      const data = { key_id: key.id, name: key.name, display: key.display, cap, period: key.cap_period };
      return { kind: 'key.cap_reached', accountId: key.account_id, at: clock.now(), data };
    },
  };
}

/**
 * Once in each period of a limit. A limit with another amount is another limit. The id of the event follows from both: a
 * late refusal of the previous period, or of a process with the previous limit, changes the state back.
 */
function limitReached(clock: Clock, accountId: string, limit: ReachedLimit): ObservedState {
  const { scope, subjectId, amount, period, since, until } = limit;
  return {
    subject: `limit ${scope} ${subjectId} ${period}`,
    initial: '',
    state: `${amount} ${since}`,
    event: async (tx) => {
      const spend = tx
        .selectFrom('budget_spend')
        .select(sql<string>`cast(spent as text)`.as('spent'))
        .where('scope', '=', scope)
        .where('subject_id', '=', subjectId);
      const row = await spend.where('since', '=', since).where('until', '=', until).executeTakeFirst();
      const data = {
        ...scopeData(scope, subjectId),
        name: (await limitedName(tx, limit)) ?? subjectId,
        limit: decimalText(amount),
        period,
        spent: decimalText(BigInt(row?.spent ?? 0)),
        resets_at: period === 'total' ? null : new Date(until).toISOString(),
      };
      const id = eventIdOf('limit.reached', scope, subjectId, since, until, String(amount));
      return { id, kind: 'limit.reached', accountId: accountOf(scope, accountId), at: clock.now(), data };
    },
  };
}

/** The name for people of a member, an account or an organisation. */
async function limitedName(tx: Handle, { scope, subjectId }: ReachedLimit): Promise<string | undefined> {
  if (scope === 'member') {
    const [, userId = ''] = subjectId.split(' ');
    return (await tx.selectFrom('console_users').select('name').where('id', '=', userId).executeTakeFirst())?.name;
  }
  const table = scope === 'organisation' ? 'organisations' : 'accounts';
  const named = tx.selectFrom(table).select(['name', 'display_name']).where('id', '=', subjectId);
  const row = await named.executeTakeFirst();
  return row?.display_name ?? row?.name;
}

type Handle = Parameters<ObservedState['event']>[0];

function cappedKey(tx: Handle, keyId: string) {
  return tx
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .select([
      'api_keys.id',
      'api_keys.name',
      'display',
      'account_id',
      'spend_cap',
      'cap_period',
      'time_zone',
      'kept_spans',
    ])
    .where('api_keys.id', '=', keyId)
    .executeTakeFirst();
}
