import { useState } from 'react';
import { useReplacing } from '../../api/replacing.ts';
import { EntryDialog } from '../../components/entry-dialog.tsx';
import { RadioList } from '../../components/radio-list.tsx';
import { type FixedTextKey, useText } from '../../text/text.tsx';

/** The person as it was when the dialog opened. */
interface Person<Role> {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly version: string;
}

interface RoleDialogProps<Role extends string> {
  readonly person: Person<Role>;
  /** As in the audit log. */
  readonly kind: 'member' | 'operator';
  readonly roles: readonly { readonly role: Role; readonly name: FixedTextKey; readonly text: FixedTextKey }[];
  readonly path: string;
  readonly changes: readonly string[];
  readonly onClose: () => void;
}

/** Changes a role. Detects a conflicting change by another user. */
export function RoleDialog<Role extends string>({ person, kind, roles, ...props }: RoleDialogProps<Role>) {
  const { path, changes, onClose } = props;
  const { t } = useText();
  const [chosen, setChosen] = useState(person.role);
  const edit = useReplacing<Person<Role>, { readonly role: Role }>(person, {
    method: 'PATCH',
    path,
    changes,
    onSaved: onClose,
  });
  const named = (role: Role) => {
    const known = roles.find((each) => each.role === role);
    return { role: known ? t(known.name) : role };
  };
  return (
    <EntryDialog
      isOpen
      title={t('people.changeRoleTitle', { name: person.name })}
      conflict={{
        edit,
        subject: { kind, id: person.id },
        mine: named(chosen),
        theirs: ({ role }) => named(role),
        labels: { role: t('settings.role') },
        onTakeTheirs: (current) => setChosen(current.role),
      }}
      onSubmit={() => edit.save({ role: chosen })}
      onClose={onClose}
    >
      <RadioList
        label={t('settings.role')}
        value={chosen}
        options={roles.map(({ role, name, text }) => ({ value: role, label: t(name), description: t(text) }))}
        onChange={setChosen}
      />
    </EntryDialog>
  );
}
