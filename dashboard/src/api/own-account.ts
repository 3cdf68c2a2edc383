import { useQueryClient } from '@tanstack/react-query';
import { useAccountChoice } from './account.tsx';
import { readKey, refresh, useRead } from './queries.ts';
import type { Account } from './wire.ts';

const path = '/account/v1/account';

/** How long it may take until a page says that its account was suspended, or is so no longer. */
const askedEveryMs = 60_000;

/** The account that is shown, as it stands now; undefined until that is known, and where there is none. */
export function useOwnAccount(): Account | undefined {
  const { account } = useAccountChoice();
  const options = { enabled: account !== undefined, refetchInterval: askedEveryMs };
  return useRead<Account>(path, {}, options).data;
}

/** Reads it at once where something was refused that may be due to it, and tells how the account stands. */
export function useStandingSeenAnew(): () => Promise<Account['status'] | undefined> {
  const client = useQueryClient();
  const { account } = useAccountChoice();
  return async () => {
    await refresh(client, path);
    return client.getQueryData<Account>(readKey(path, account?.id))?.status;
  };
}
