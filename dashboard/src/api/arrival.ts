import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ApiError } from './api-error.ts';
import { call } from './call.ts';
import { joinable } from './joinable.ts';
import { sessionQuery } from './session.ts';

/** What comes after a step of signing in. */
export interface NextStep {
  /** `confirm`: whoever signed up has to answer their letter first. */
  readonly next: 'done' | 'two-factor' | 'confirm';
}

/** A step that may end signed in. Where it does, the session is read anew, and the page sees who is here. */
export function useArrival<Body>(path: string) {
  const client = useQueryClient();
  const [underWay] = useState(() => joinable<NextStep>());
  return useMutation<NextStep, ApiError, Body>({
    // Links work once: pressed twice, the second answer would be that the link is used up.
    mutationFn: (body) => underWay.join(JSON.stringify(body), () => call<NextStep>(path, { method: 'POST', body })),
    onSuccess: async ({ next }) => {
      if (next === 'done') await client.refetchQueries(sessionQuery);
    },
    // What an answer that was lost has done is refused the second time; whoever it let in goes on all the same.
    onError: () => client.refetchQueries(sessionQuery),
  });
}
