import { accounts } from '../src/money/accounts/accounts.ts';
import { createKey, type NewKey } from '../src/money/accounts/keys.ts';
import { systemClock } from '../src/core/time/clock.ts';
import type { Gateway } from '../src/app/gateway.ts';

/** Creates a key of an account, with the same code as the CLI. */
export async function makeKey(
  { store, pepper }: Pick<Gateway, 'store' | 'pepper'>,
  {
    account,
    ...key
  }: { account: string } & Omit<NewKey, 'accountId' | 'models'> & { models?: readonly string[] | undefined },
): Promise<{ id: string; secret: string }> {
  const owner = await accounts(store, systemClock).find(account);
  if (!owner) throw new Error(`there is no account ${account}`);
  const made = await createKey({ store, pepper, clock: systemClock }, { accountId: owner.id, ...key });
  return { id: made.key.id, secret: made.secret };
}
