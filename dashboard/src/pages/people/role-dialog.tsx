import { Radio, Stack } from '@mantine/core';
import { useState } from 'react';
import type { ApiError } from '../../api/api-error.ts';
import { EntryDialog } from '../../components/entry-dialog.tsx';
import { type PlainKey, useText } from '../../text/text.tsx';

interface RoleDialogProps<Role extends string> {
  readonly name: string;
  readonly role: Role;
  readonly roles: readonly { readonly role: Role; readonly name: PlainKey; readonly text: PlainKey }[];
  readonly isBusy: boolean;
  readonly error: ApiError | null;
  readonly onRole: (role: Role) => void;
  readonly onClose: () => void;
}

/** Gives somebody another role. */
export function RoleDialog<Role extends string>(props: RoleDialogProps<Role>) {
  const { t } = useText();
  const [chosen, setChosen] = useState<Role>(props.role);
  return (
    <EntryDialog
      isOpen
      title={t('people.changeRoleTitle', { name: props.name })}
      isBusy={props.isBusy}
      error={props.error}
      onSubmit={() => props.onRole(chosen)}
      onClose={props.onClose}
    >
      <Radio.Group label={t('settings.role')} value={chosen} onChange={(role) => setChosen(role)}>
        <Stack gap="xs" mt={4}>
          {props.roles.map(({ role, name, text }) => (
            <Radio key={role} value={role} label={t(name)} description={t(text)} />
          ))}
        </Stack>
      </Radio.Group>
    </EntryDialog>
  );
}
