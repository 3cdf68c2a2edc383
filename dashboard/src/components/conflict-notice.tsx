import { lazy, Suspense } from 'react';
import type { ApiError } from '../api/api-error.ts';
import type { EditConflict } from '../api/replacing.ts';
import type { FieldLabels } from '../text/error-text.ts';
import { ErrorNotice } from './error-notice.tsx';

/** The part of `useReplacing` that a conflict needs. */
export interface Edit {
  readonly isPending: boolean;
  readonly error: ApiError | null;
  readonly conflict: EditConflict | undefined;
  readonly labels: FieldLabels;
  readonly valueText?: ((path: string, value: unknown) => string | undefined) | undefined;
}

const ConflictChoice = lazy(() => import('./conflict-choice.tsx'));

/** If another user changed the same fields, lets the user choose a value for each. Shows other errors normally. */
export function ConflictNotice({ edit }: { readonly edit: Edit }) {
  if (!edit.conflict) return <ErrorNotice error={edit.error} labels={edit.labels} />;
  return (
    <Suspense>
      <ConflictChoice edit={edit} conflict={edit.conflict} />
    </Suspense>
  );
}
