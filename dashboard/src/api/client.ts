import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';
import { sessionQuery } from './session.ts';

/**
 * Reads are tried again where trying helps; writes never are. An ended session is noticed at the first 401, and what one
 * may not do any more when that is refused. Without a network everything fails at once: the library would hold writes
 * back and carry them out whenever there is one again, when nobody waits for them any more.
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

/** What is answered to those who may do less than the session they know says; an account one was taken out of is not found. */
function isAboutSession({ status, isAboutAccount }: ApiError): boolean {
  return status === 401 || status === 403 || isAboutAccount;
}

function mayPass(error: Error): boolean {
  return !(error instanceof ApiError) || error.status === 0 || error.status >= 500;
}
