import { useQueryClient } from '@tanstack/react-query';
import { useAccountChoice } from './account.tsx';
import { readKey, refresh, useRead } from './queries.ts';
import type { Account, OwnModels } from './wire.ts';

const path = '/account/v1/account';

/** The longest delay until a page shows that its account was suspended or reactivated. */
const pollMs = 60_000;

/** The current state of the shown account. Undefined while loading, and if no account is chosen. */
export function useOwnAccount(): Account | undefined {
  const { account } = useAccountChoice();
  const options = { enabled: account !== undefined, refetchInterval: pollMs };
  return useRead<Account>(path, {}, options).data;
}

/** Reads the account again after a refusal that its status may explain, and returns the status. */
export function useRefreshedStatus(): () => Promise<Account['status'] | undefined> {
  const client = useQueryClient();
  const { account } = useAccountChoice();
  return async () => {
    await refresh(client, path);
    return client.getQueryData<Account>(readKey(path, account?.id))?.status;
  };
}

/** The models that the chosen account can call on this domain. */
export function useModels({ enabled = true }: { readonly enabled?: boolean } = {}) {
  return useRead<OwnModels>('/account/v1/models', {}, { staleTime: 60_000, enabled });
}

/** The models with a chat surface. */
export function chatModels(models: OwnModels | undefined): OwnModels['data'] {
  return (models?.data ?? []).filter(({ surfaces }) => surfaces.length > 0);
}
