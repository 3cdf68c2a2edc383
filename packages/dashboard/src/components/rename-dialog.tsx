import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useReplacing } from '../api/replacing.ts';
import { useText } from '../text/text.tsx';
import { EntryDialog } from './entry-dialog.tsx';

/** The entry as it was when the dialog opened. */
interface RenamedEntry<Entry> {
  readonly entry: Entry;
  readonly nameOf: (entry: Entry) => string;
}

interface RenameDialogProps<Entry> {
  readonly title: string;
  readonly help?: string;
  readonly name: string;
  /** Whether the name may be empty, so that a default is shown instead. */
  readonly mayBeEmpty?: boolean;
  /** Leave it out if no other user can rename the entry. */
  readonly renamed?: RenamedEntry<Entry>;
  readonly method?: 'POST' | 'PATCH';
  readonly path: string;
  /** Builds the request body from the typed name. */
  readonly send: (name: string) => unknown;
  readonly changes: readonly string[];
  readonly onClose: () => void;
}

/** Renames a person or an entry. Any script is allowed. */
export function RenameDialog<Entry extends { readonly id: string; readonly version: string }>(
  props: RenameDialogProps<Entry>,
) {
  const { title, help, name, mayBeEmpty = false, renamed, method = 'PATCH', path, changes, onClose } = props;
  const { t } = useText();
  const [typed, setTyped] = useState(name);
  const [isMissing, setMissing] = useState(false);
  const label = t('common.name');
  const edit = useReplacing<Entry | undefined, unknown>(renamed?.entry, {
    method,
    path,
    changes,
    onSaved: onClose,
    fieldsOf: (entry) => props.send(renamed?.nameOf(entry) ?? ''),
    labels: { name: label, display_name: label },
  });
  const trimmed = typed.trim();
  const submit = () => {
    if (trimmed === '' && !mayBeEmpty) return setMissing(true);
    return edit.save(props.send(trimmed));
  };
  return (
    <EntryDialog isOpen title={title} edit={edit} onSubmit={submit} onClose={onClose}>
      <TextInput
        label={label}
        description={help}
        error={isMissing && t('common.required')}
        value={typed}
        maxLength={512}
        data-autofocus
        onChange={({ currentTarget }) => {
          setMissing(false);
          setTyped(currentTarget.value);
        }}
      />
    </EntryDialog>
  );
}
