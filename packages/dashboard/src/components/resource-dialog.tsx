import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import type { ListRules } from '../api/merge.ts';
import { useReplacing } from '../api/replacing.ts';
import type { Resource } from '../api/resource.ts';
import { useMayOperate } from '../api/session.ts';
import { useWrite } from '../api/write.ts';
import type { FieldLabels } from '../text/error-text.ts';
import { useText } from '../text/text.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { EntryDialog } from './entry-dialog.tsx';
import { type FormErrors, useFieldProblems } from './field-problems.ts';

/** The kinds of configuration entries that are edited in a dialog over their list. */
export type DialogKind = 'site' | 'package';

export interface ResourceDialogProps<Spec extends { readonly name: string }> {
  readonly kind: DialogKind;
  /** Undefined for a new entry. */
  readonly entry: Resource<Spec> | undefined;
  /** Calls back with the typed values if they are valid. `spec` is the spec that the form was filled from. */
  readonly onSubmit: (send: (values: (spec: Spec | undefined) => Spec) => void) => void;
  /** The spec as the form writes it without a change. A default value then equals a missing one. */
  readonly asWritten: (spec: Spec) => Spec;
  /** Lists that are merged as sets if two users change them. */
  readonly lists: ListRules;
  /** The labels of the form fields. */
  readonly labels: FieldLabels;
  /** Shows the problems that the gateway reports at their fields. */
  readonly form: FormErrors;
  readonly onClose: () => void;
  readonly children: (isReadOnly: boolean) => ReactNode;
}

/** Adds, changes or removes a configuration entry. Entries of the configuration file are read-only. */
export function ResourceDialog<Spec extends { readonly name: string }>(props: ResourceDialogProps<Spec>) {
  const { kind, entry, onClose } = props;
  const { t } = useText();
  const mayOperate = useMayOperate();
  const [isRemoving, removing] = useDisclosure(false);
  const isFileOwned = entry?.source === 'file';
  const isReadOnly = isFileOwned || !mayOperate;
  const name = entry?.name ?? '';
  const list = `/admin/v1/${kind}s`;
  const path = entry ? `${list}/${encodeURIComponent(name)}` : list;
  const edit = useReplacing<Resource<Spec> | undefined, Spec>(entry, {
    method: entry ? 'PUT' : 'POST',
    path,
    changes: [list],
    onSaved: onClose,
    successMessage: (spec) => (entry ? t('common.saved') : t(`${kind}s.added`, { name: spec.name })),
    fieldsOf: (current) => props.asWritten(current.spec),
    labels: props.labels,
    lists: props.lists,
  });
  useFieldProblems(props.form, edit.error, { labels: props.labels });
  const remove = useWrite({
    method: 'DELETE',
    path,
    ifMatch: () => entry?.version,
    changes: [list],
    successMessage: () => t(`${kind}s.removed`, { name }),
  });
  return (
    <>
      <EntryDialog
        isOpen={!isRemoving}
        isInAddress
        title={entry ? t(`${kind}s.editTitle`, { name }) : t(`${kind}s.addTitle`)}
        isFileOwned={isFileOwned}
        isReadOnly={isReadOnly}
        action={entry ? undefined : t(`${kind}s.addAction`)}
        edit={edit}
        onSubmit={() => props.onSubmit((values) => edit.save(values(edit.base?.spec)))}
        onClose={onClose}
        aside={
          entry &&
          !isReadOnly && (
            <Button variant="subtle" color="red" c="var(--chart-bad)" onClick={removing.open}>
              {t('common.remove')}
            </Button>
          )
        }
      >
        {props.children(isReadOnly)}
      </EntryDialog>
      {entry && (
        <ConfirmDialog
          isOpen={isRemoving}
          title={t(`${kind}s.removeTitle`, { name })}
          text={t(`${kind}s.removeText`)}
          action={t('common.remove')}
          write={remove}
          onDone={onClose}
          onClose={removing.close}
        />
      )}
    </>
  );
}
