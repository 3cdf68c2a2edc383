import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';
import { sessionQuery } from './session.ts';

/**
 * Retries reads that may succeed later; never retries writes. A 401, a 403 or a lost membership refreshes the session.
 * Without a network, every call fails at once: by default the library would hold writes back and send them after
 * reconnecting, when the user no longer expects them.
 */
export function queryClient(): QueryClient {
  const onError = (error: Error) => {
    if (error instanceof ApiError && isAboutSession(error)) void client.invalidateQueries(sessionQuery);
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        networkMode: 'always',
        refetchOnReconnect: true,
        staleTime: 15_000,
        retry: (count, error) => count < 2 && navigator.onLine && mayPass(error),
      },
      mutations: { networkMode: 'always', retry: false },
    },
  });
  return client;
}

/**
 * Statuses that show that the cached session grants too much. A user who was removed from an account gets "account not
 * found".
 */
function isAboutSession({ status, isAboutAccount }: ApiError): boolean {
  return status === 401 || status === 403 || isAboutAccount;
}

function mayPass(error: Error): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500;
}
