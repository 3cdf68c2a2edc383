import { useState } from 'react';
import { useWrite } from './queries.ts';

/** A thing as it was when its form was filled in. */
interface Versioned {
  readonly version: string;
}

interface Replacing {
  readonly method?: 'PUT' | 'PATCH' | 'POST';
  readonly path: string;
  readonly changes: readonly string[];
}

interface Sent<Body> {
  readonly body: Body;
  readonly version: string | undefined;
}

/**
 * Writes over what the form was filled with, and only over that: what is read anew while somebody types must not pass
 * for what they have seen. Where there is nothing yet, it is made.
 */
export function useReplacing<Entry extends Versioned | undefined, Body>(entry: Entry, options: Replacing) {
  const { method = 'PUT', path, changes } = options;
  const [base, setBase] = useState(entry);
  const write = useWrite<unknown, Sent<Body>>({
    method,
    path,
    send: ({ body }) => body,
    ifMatch: ({ version }) => version,
    changes,
  });
  return {
    base,
    isPending: write.isPending,
    error: write.error,
    /** What was sent last. */
    mine: write.variables?.body,
    save: (body: Body, onSuccess: () => void) => write.mutate({ body, version: base?.version }, { onSuccess }),
    /** The same once more, over what is there now. */
    saveOver: (current: Versioned, onSuccess: () => void) => {
      if (write.variables) write.mutate({ ...write.variables, version: current.version }, { onSuccess });
    },
    /** Begins anew with what is there now. */
    adopt: (current: Entry) => {
      setBase(current);
      write.reset();
    },
  };
}
