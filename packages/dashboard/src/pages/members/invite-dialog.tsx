import { Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useWrite } from '../../api/write.ts';
import type {
  CreatedInvitation,
  NewInvitation,
  NewOperatorInvitation,
  NewOrganisationInvitation,
} from '../../api/wire.ts';
import { emailProblem } from '../../components/input-problems.ts';
import { RadioList } from '../../components/radio-list.tsx';
import { roles as memberRoles } from '../../components/roles.ts';
import { SecretDialog } from '../../components/secret-dialog.tsx';
import { type FixedTextKey, useText } from '../../text/text.tsx';

type InvitationInput = NewInvitation | NewOperatorInvitation | NewOrganisationInvitation;

interface InviteDialogProps {
  readonly onClose: () => void;
  /** The dialog title. Default: for a member. */
  readonly title?: FixedTextKey;
  /** Replaces the title. */
  readonly heading?: string;
  /** The API path. Default: the user's own account. */
  readonly path?: string;
  /** The roles to choose from. Default: those of an account. */
  readonly roles?: readonly {
    readonly role: InvitationInput['role'];
    readonly name: FixedTextKey;
    readonly text: FixedTextKey;
  }[];
  /** The preselected role. */
  readonly firstRole?: InvitationInput['role'];
}

/** Creates an invitation link, which is shown once. */
export function InviteDialog(props: InviteDialogProps) {
  const { onClose, path = '/account/v1/invitations', roles = memberRoles, firstRole = 'member' } = props;
  const { t } = useText();
  const form = useForm({
    initialValues: { email: '', role: firstRole },
    validate: { email: (email) => emailProblem(email, t) },
  });
  const invite = useWrite<CreatedInvitation, { email: string; role: InvitationInput['role'] }>({
    path,
    changes: [
      '/account/v1/invitations',
      '/account/v1/organisation',
      '/admin/v1/operators',
      '/admin/v1/organisations',
      '/admin/v1/links',
    ],
  });
  return (
    <SecretDialog
      title={props.heading ?? t(props.title ?? 'settings.inviteTitle')}
      write={invite}
      secret={({ email, link, mailed }) => ({
        label: t('settings.inviteLink', { email }),
        value: new URL(link, location.origin).href,
        note: mailed && <Text>{t('alerts.mailed', { email })}</Text>,
      })}
      action={t('settings.inviteMake')}
      labels={{ email: t('settings.email'), role: t('settings.role') }}
      onSubmit={form.onSubmit((values) => invite.mutate(values))}
      onClose={onClose}
    >
      <Text>{t('settings.inviteText')}</Text>
      <TextInput
        label={t('settings.email')}
        type="email"
        required
        withAsterisk={false}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('email')}
      />
      <RadioList
        label={t('settings.role')}
        value={form.values.role}
        options={roles.map(({ role, name, text }) => ({ value: role, label: t(name), description: t(text) }))}
        onChange={(role) => form.setFieldValue('role', role)}
      />
    </SecretDialog>
  );
}
