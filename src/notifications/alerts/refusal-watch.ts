import { balanceSubject } from '../../billing/ledger/low-balance.ts';
import { balanceOf } from '../../billing/wallet/balance.ts';
import { capPeriods, calendarSpans } from '../../core/time/cap-period.ts';
import type { Clock } from '../../core/time/clock.ts';
import { decimalText } from '../../core/money.ts';
import { recentlyUsed } from '../../core/recently-used.ts';
import type { ObservedState, WatchParts } from './alert-state-writer.ts';
import type { RequestRecord } from '../../requests/request-record.ts';
import { joined } from '../../store/joined.ts';
import type { Store } from '../../store/store.ts';

/** Repeated refusals of one account or key are checked at most once per this time. */
const quietMs = 30_000;
const maxRemembered = 10_000;

/**
 * Alerts that an account has no money left, or a key has reached its cap, at the first request refused for it: a
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
    served: ({ errorCase, accountId, keyId }: RequestRecord): void => {
      if (errorCase === 'insufficient-balance') observe(balanceUsedUp(store, clock, accountId));
      else if (errorCase === 'key-cap-reached') observe(capReached(clock, keyId));
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
      const span = period && calendarSpans()({ period, timeZone: key.time_zone ?? 'UTC' }, clock.now());
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

function cappedKey(tx: Parameters<ObservedState['event']>[0], keyId: string) {
  return tx
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .select(['api_keys.id', 'api_keys.name', 'display', 'account_id', 'spend_cap', 'cap_period', 'time_zone'])
    .where('api_keys.id', '=', keyId)
    .executeTakeFirst();
}
