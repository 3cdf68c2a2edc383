import type { Nano } from '../../../core/money.ts';
import type { Store } from '../../../platform/store/store.ts';
import { moneyText } from '../ledger/locked-accounts.ts';

export interface Balance {
  readonly granted: Nano;
  readonly toppedUp: Nano;
  /** Leased by processes for running and future requests. */
  readonly reserved: Nano;
  readonly floor: Nano;
}

export async function balanceOf(store: Store, accountId: string): Promise<Balance> {
  const row = await store.db
    .selectFrom('balances')
    .select([
      moneyText('granted').as('granted'),
      moneyText('topped_up').as('toppedUp'),
      moneyText('leased').as('reserved'),
      moneyText('floor').as('floor'),
    ])
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  const { granted, toppedUp, reserved, floor } = row ?? { granted: 0, toppedUp: 0, reserved: 0, floor: 0 };
  return { granted: BigInt(granted), toppedUp: BigInt(toppedUp), reserved: BigInt(reserved), floor: BigInt(floor) };
}
