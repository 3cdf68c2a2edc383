import { useState } from 'react';
import { useText } from '../text/text.tsx';
import { useWrite } from './write.ts';

/** A thing as it was when its form was filled in. */
interface VersionedDocument {
  readonly version: string;
}

interface Replacing<Body> {
  readonly method?: 'PUT' | 'PATCH' | 'POST';
  readonly path: string;
  readonly changes: readonly string[];
  /** What is said once it is done; that it was saved, if left out. */
  readonly told?: (body: Body) => string;
}

interface ReplaceBody<Body> {
  readonly body: Body;
  readonly version: string | undefined;
}

/**
 * Writes over what the form was filled with, and only over that: what is read anew while somebody types must not pass
 * for what they have seen. Where there is nothing yet, it is made.
 */
export function useReplacing<Entry extends VersionedDocument | undefined, Body>(
  entry: Entry,
  options: Replacing<Body>,
) {
  const { t } = useText();
  const { method = 'PUT', path, changes, told = () => t('common.saved') } = options;
  const [base, setBase] = useState(entry);
  const write = useWrite<unknown, ReplaceBody<Body>>({
    method,
    path,
    send: ({ body }) => body,
    ifMatch: ({ version }) => version,
    changes,
    told: ({ body }) => told(body),
  });
  return {
    base,
    isPending: write.isPending,
    error: write.error,
    /** What was sent last. */
    mine: write.variables?.body,
    /** Over what the form was filled with, or over what does not differ from it in anything that is sent. */
    save: (body: Body, onSuccess: () => void, over = base) =>
      write.mutate({ body, version: over?.version }, { onSuccess }),
    /** The same once more, over what is there now. */
    saveOver: (current: VersionedDocument, onSuccess: () => void) => {
      if (write.variables) write.mutate({ ...write.variables, version: current.version }, { onSuccess });
    },
    /** Begins anew with what is there now. */
    adopt: (current: Entry) => {
      setBase(current);
      write.reset();
    },
  };
}
