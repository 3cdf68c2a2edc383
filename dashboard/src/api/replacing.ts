import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { FieldLabels } from '../text/error-text.ts';
import { fill } from '../text/fill.ts';
import { useText } from '../text/text.tsx';
import { useOwnerOf } from './account.tsx';
import { ApiError } from './api-error.ts';
import { call } from './call.ts';
import type { FieldConflict, ListRules, Side, TakenChange } from './merge.ts';
import { readKey } from './queries.ts';
import { useSession } from './session.ts';
import { useWrite } from './write.ts';

/** A document as it was when the form was filled. */
export interface VersionedDocument {
  readonly version: string;
}

interface Replacing<Entry, Body> {
  readonly method?: 'PUT' | 'PATCH' | 'POST';
  readonly path: string;
  readonly changes: readonly string[];
  readonly onSaved: () => void;
  /** The message after a success. Default: "saved". */
  readonly successMessage?: (body: Body) => string;
  /**
   * The fields that the form writes, in the shape of the request body. May have more fields of a document that is
   * patched, so that their changes are shown.
   */
  readonly fieldsOf: (document: NonNullable<Entry>) => unknown;
  /** The labels of the form fields. Other fields appear under their API names. */
  readonly labels: FieldLabels;
  readonly lists?: ListRules;
  /** The text of a value that is not shown as it is. */
  readonly valueText?: (path: string, value: unknown) => string | undefined;
}

interface ReplaceBody<Entry, Body> {
  readonly body: Body;
  /** The document that the body was derived from. */
  readonly over: Entry;
  /** The sentence about merged changes. */
  readonly kept?: string | undefined;
  readonly merges?: number;
}

/** Two changes to the same fields, for which the user chooses values. */
export interface EditConflict {
  readonly conflicts: readonly FieldConflict[];
  readonly taken: readonly TakenChange[];
  /** The writers of the newer version, as in the audit log. */
  readonly actors: readonly string[];
  readonly at: string | undefined;
  readonly resolve: (choices: Readonly<Record<string, Side>>) => void;
}

interface Outcome {
  /** The rejection that this resulted from. */
  readonly rejection: ApiError;
  readonly conflict?: EditConflict;
  readonly failure?: ApiError;
}

/** Each merge needs another writer in between. The limit keeps a broken version check from looping. */
const mergesMax = 5;

/**
 * Writes only over the version that the form was filled from. A refetch while the user types must not count as seen by
 * the user. If the document has changed meanwhile, the changes are merged and saved, unless both sides changed the same
 * field. If there is no document yet, the write creates it.
 */
export function useReplacing<Entry extends VersionedDocument | undefined, Body>(
  entry: Entry,
  options: Replacing<Entry, Body>,
) {
  const { t } = useText();
  const { method = 'PUT', path, changes, onSaved, successMessage = () => t('common.saved') } = options;
  const [base, setBase] = useState(entry);
  const [outcome, setOutcome] = useState<Outcome>();
  const write = useWrite<unknown, ReplaceBody<Entry, Body>>({
    method,
    path,
    send: ({ body }) => body,
    ifMatch: ({ over }) => over?.version,
    changes,
    successMessage: ({ body, kept }) => kept ?? successMessage(body),
  });
  const { error } = write;
  const rejection = error?.code === 'conflict' && write.variables?.over !== undefined ? error : undefined;
  const mergeChanges = useMerge(options);
  const send = (variables: ReplaceBody<Entry, Body>) => write.mutate(variables, { onSuccess: onSaved });
  useEffect(() => {
    if (!rejection || !write.variables) return undefined;
    let isStopped = false;
    const settle = (result: Omit<Outcome, 'rejection'>) => {
      if (!isStopped) setOutcome({ rejection, ...result });
    };
    mergeChanges(write.variables, rejection, send).then(
      (merged) => {
        if (isStopped) return;
        if ('body' in merged) send(merged);
        else settle({ conflict: merged });
      },
      (failure: unknown) => settle({ failure: failure instanceof ApiError ? failure : rejection }),
    );
    return () => {
      isStopped = true;
    };
  }, [rejection]);
  const settled = rejection && outcome?.rejection === rejection ? outcome : undefined;
  const isMerging = rejection !== undefined && settled === undefined;
  return {
    base,
    path,
    labels: options.labels,
    valueText: options.valueText,
    isPending: write.isPending || isMerging,
    error: rejection ? (settled?.failure ?? null) : error,
    conflict: settled?.conflict,
    save: (body: Body) => send({ body, over: base }),
    /** Starts again from the current document. */
    adopt: (current: Entry) => {
      setBase(current);
      write.reset();
    },
  };
}

/** Returns a function that merges a rejected write with the current document. */
function useMerge<Entry extends VersionedDocument | undefined, Body>(options: Replacing<Entry, Body>) {
  const { method = 'PUT', path, fieldsOf, labels, lists, valueText } = options;
  const client = useQueryClient();
  const ownerOf = useOwnerOf();
  const { user } = useSession();
  const { language } = useText();
  const isPatch = method === 'PATCH';
  return async (
    { body, over, merges = 0 }: ReplaceBody<Entry, Body>,
    { params }: ApiError,
    send: (variables: ReplaceBody<Entry, Body>) => void,
  ): Promise<ReplaceBody<Entry, Body> | EditConflict> => {
    const owner = ownerOf(path);
    const [{ merge }, { conflictTexts, keptSentence }, current] = await Promise.all([
      import('./merge.ts'),
      import('../text/conflict-words.ts'),
      client.fetchQuery({
        queryKey: readKey(path, owner),
        queryFn: () => call<NonNullable<Entry>>(path, { owner }),
        staleTime: 0,
      }),
    ]);
    const fields = fieldsOf(over as NonNullable<Entry>);
    const mine = isPatch ? { ...(fields as object), ...body } : body;
    const versions = { base: fields, mine, theirs: fieldsOf(current) };
    const newer = {
      actors: String(params?.['actors'] ?? '')
        .split(', ')
        .filter(Boolean),
      at: timeIn(params),
    };
    const apply = (choices?: Readonly<Record<string, Side>>): ReplaceBody<Entry, Body> => {
      const { merged, taken } = merge(versions, { lists, choices });
      const kept = keptSentence(taken, { language, labels, valueText, newer, email: user.email });
      return {
        body: (isPatch ? patchOf(merged as object, body as object) : merged) as Body,
        over: current,
        kept: kept && fill(conflictTexts.saved, language, { kept }),
        merges: merges + 1,
      };
    };
    const { conflicts, taken } = merge(versions, { lists });
    if (conflicts.length === 0 && merges < mergesMax) return apply();
    return { conflicts, taken, ...newer, resolve: (choices) => send(apply(choices)) };
  };
}

function timeIn(params: ApiError['params']): string | undefined {
  const time = params?.['time'];
  return typeof time === 'string' ? time : undefined;
}

/** Only the fields of the body: a document has others, which a patch must not name. */
function patchOf(merged: object, body: object): object {
  const values = new Map(Object.entries(merged));
  return Object.fromEntries(Object.keys(body).map((name) => [name, values.get(name) ?? null]));
}
