import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useWrite, type Write } from '../api/write.ts';
import { useText } from '../text/text.tsx';
import { EntryDialog } from './entry-dialog.tsx';

interface RenameDialogProps {
  readonly title: string;
  readonly help?: string;
  readonly name: string;
  /** Whether it may be left empty, so that something else is shown. */
  readonly mayBeEmpty?: boolean;
  /** Of what is renamed, as it was when the dialog was opened. */
  readonly version?: string;
  /** How the name that was typed is sent. */
  readonly write: Write<string>;
  readonly onClose: () => void;
}

/** Gives somebody or something another name, in any script. */
export function RenameDialog({ mayBeEmpty = false, ...props }: RenameDialogProps) {
  const { title, help, name, version, write, onClose } = props;
  const { t } = useText();
  const [typed, setTyped] = useState(name);
  const [isMissing, setMissing] = useState(false);
  const [seen] = useState(version);
  const rename = useWrite<unknown, string>({ ...write, ifMatch: () => seen, told: () => t('common.saved') });
  const submit = () => {
    const wanted = typed.trim();
    if (wanted === '' && !mayBeEmpty) return setMissing(true);
    return rename.mutate(wanted, { onSuccess: onClose });
  };
  return (
    <EntryDialog
      isOpen
      title={title}
      isBusy={rename.isPending}
      error={rename.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextInput
        label={t('common.name')}
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
