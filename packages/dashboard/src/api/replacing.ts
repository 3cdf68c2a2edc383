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

/** The chosen side of each conflict, by its path. The user's own value if there is no choice. */
type Choices = Readonly<Record<string, Side>>;

interface MergeConflict {
  readonly conflicts: readonly FieldConflict[];
  readonly taken: readonly TakenChange[];
  /** The writers of the newer version, as in the audit log. */
  readonly actors: readonly string[];
  readonly at: string | undefined;
}

/** Two changes to the same fields, for which the user chooses values. The form's next submit saves them. */
export interface EditConflict extends MergeConflict {
  readonly choices: Choices;
  readonly choose: (path: string, side: Side) => void;
}

interface Outcome<Entry, Body> {
  /** The rejection that this resulted from. */
  readonly rejection: ApiError;
  readonly conflict?: UnresolvedConflict<Entry, Body>;
  readonly choices: Choices;
  readonly failure?: ApiError;
}

interface UnresolvedConflict<Entry, Body> extends MergeConflict {
  readonly resolve: (body: Body, choices: Choices) => ReplaceBody<Entry, Body>;
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
  const [outcome, setOutcome] = useState<Outcome<Entry, Body>>();
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
    const settle = (result: Pick<Outcome<Entry, Body>, 'conflict' | 'failure'>) => {
      if (!isStopped) setOutcome({ rejection, choices: {}, ...result });
    };
    mergeChanges(write.variables, rejection).then(
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
  const { conflict, choices = {} } = settled ?? {};
  return {
    base,
    path,
    labels: options.labels,
    valueText: options.valueText,
    isPending: write.isPending || isMerging,
    error: rejection ? (settled?.failure ?? null) : error,
    conflict: conflict && {
      ...conflict,
      choices,
      choose: (at: string, side: Side) =>
        setOutcome((now) => now && { ...now, choices: { ...now.choices, [at]: side } }),
    },
    save: (body: Body) => send(conflict?.resolve(body, choices) ?? { body, over: base }),
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
  ): Promise<ReplaceBody<Entry, Body> | UnresolvedConflict<Entry, Body>> => {
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
    const theirs = fieldsOf(current);
    const versionsOf = (mine: Body) => ({
      base: fields,
      mine: isPatch ? { ...(fields as object), ...mine } : mine,
      theirs,
    });
    const newer = {
      actors: String(params?.['actors'] ?? '')
        .split(', ')
        .filter(Boolean),
      at: timeIn(params),
    };
    const resolve = (mine: Body, choices?: Choices): ReplaceBody<Entry, Body> => {
      const { merged, taken } = merge(versionsOf(mine), { lists, choices });
      const kept = keptSentence(taken, { language, labels, valueText, newer, email: user.email });
      return {
        body: (isPatch ? patchOf(merged as object, mine as object) : merged) as Body,
        over: current,
        kept: kept && fill(conflictTexts.saved, language, { kept }),
        merges: merges + 1,
      };
    };
    const { conflicts, taken } = merge(versionsOf(body), { lists });
    if (conflicts.length === 0 && merges < mergesMax) return resolve(body);
    return { conflicts, taken, ...newer, resolve };
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
