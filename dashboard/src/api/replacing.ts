import { useState } from 'react';
import { useText } from '../text/text.tsx';
import { useWrite } from './write.ts';

/** A document as it was when the form was filled. */
export interface VersionedDocument {
  readonly version: string;
}

interface Replacing<Body> {
  readonly method?: 'PUT' | 'PATCH' | 'POST';
  readonly path: string;
  readonly changes: readonly string[];
  readonly onSaved: () => void;
  /** The message after a success. Default: "saved". */
  readonly successMessage?: (body: Body) => string;
}

interface ReplaceBody<Body> {
  readonly body: Body;
  readonly version: string | undefined;
}

/**
 * Writes only over the version that the form was filled from. A refetch while the user types must not count as seen by
 * the user. If there is no document yet, the write creates it.
 */
export function useReplacing<Entry extends VersionedDocument | undefined, Body>(
  entry: Entry,
  options: Replacing<Body>,
) {
  const { t } = useText();
  const { method = 'PUT', path, changes, onSaved, successMessage = () => t('common.saved') } = options;
  const [base, setBase] = useState(entry);
  const write = useWrite<unknown, ReplaceBody<Body>>({
    method,
    path,
    send: ({ body }) => body,
    ifMatch: ({ version }) => version,
    changes,
    successMessage: ({ body }) => successMessage(body),
  });
  return {
    base,
    path,
    isPending: write.isPending,
    error: write.error,
    /** The body of the last write. */
    mine: write.variables?.body,
    /**
     * Writes over the version that the form was filled from. A caller may pass a newer version that does not differ in
     * any field the form sends.
     */
    save: (body: Body, over = base) => write.mutate({ body, version: over?.version }, { onSuccess: onSaved }),
    /** Repeats the last write over the current version. */
    saveOver: ({ version }: VersionedDocument) => {
      if (write.variables) write.mutate({ ...write.variables, version }, { onSuccess: onSaved });
    },
    /** Starts again from the current document. */
    adopt: (current: Entry) => {
      setBase(current);
      write.reset();
    },
  };
}
