import { useAccountChoice } from './account.tsx';
import { useRead } from './queries.ts';
import type { Account } from './wire.ts';

/** How long it may take until a page says that its account was suspended, or is so no longer. */
const askedEveryMs = 60_000;

/** The account that is shown, as it stands now; undefined until that is known, and where there is none. */
export function useOwnAccount(): Account | undefined {
  const { account } = useAccountChoice();
  const options = { enabled: account !== undefined, refetchInterval: askedEveryMs };
  return useRead<Account>('/account/v1/account', {}, options).data;
}
