import { lazy, Suspense } from 'react';
import type { Edit } from './conflict-choice.tsx';
import { ErrorNotice } from './error-notice.tsx';

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
