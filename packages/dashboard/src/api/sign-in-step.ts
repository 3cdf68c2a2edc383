import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiError } from './api-error.ts';
import { call } from './call.ts';
import { singleFlight } from './intents.ts';
import { sessionQuery } from './session.ts';

/** The response to a sign-in step: what the user has to do next. */
export interface SignInStepResult {
  /** `confirm` and `email`: the user must first open the link in the e-mail. */
  readonly next: 'done' | 'two-factor' | 'confirm' | 'email';
}

/**
 * A step that may complete the sign-in. If it does, the hook reads the session again, and the page re-renders with it.
 */
export function useSignInStep<Body>(path: string) {
  const client = useQueryClient();
  const [inFlight] = useState(() => singleFlight<SignInStepResult>());
  return useMutation<SignInStepResult, ApiError, Body>({
    // A link works once. On a double click, the second call would fail because the link is used; it shares the result
    // of the first instead.
    mutationFn: (body) =>
      inFlight.run(JSON.stringify(body), () => call<SignInStepResult>(path, { method: 'POST', body })),
    onSuccess: async ({ next }) => {
      if (next === 'done') await client.refetchQueries(sessionQuery);
    },
    // If a response was lost, the retry fails although the first call may have signed the user in. So read the session
    // again.
    onError: () => client.refetchQueries(sessionQuery),
  });
}
