import { Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useWrite } from '../../api/write.ts';
import type { CreatedInvitation, NewInvitation, NewOperatorInvitation } from '../../api/wire.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { roles as memberRoles } from '../../components/roles.ts';
import { SecretDialog } from '../../components/secret-dialog.tsx';
import { type FixedTextKey, useText } from '../../text/text.tsx';

type InvitationInput = NewInvitation | NewOperatorInvitation;

interface InviteDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** The dialog title. Default: for a member. */
  readonly title?: FixedTextKey;
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
  const { isOpen, onClose, path = '/account/v1/invitations', roles = memberRoles, firstRole = 'member' } = props;
  const { t } = useText();
  const form = useForm<{ email: string; role?: InvitationInput['role'] }>({ initialValues: { email: '' } });
  const role = form.values.role ?? firstRole;
  const invite = useWrite<CreatedInvitation, { email: string; role: InvitationInput['role'] }>({
    path,
    changes: ['/account/v1/invitations', '/admin/v1/operators', '/admin/v1/links'],
  });
  const { data: made } = invite;
  const close = () => {
    onClose();
    form.reset();
    invite.reset();
  };
  return (
    <SecretDialog
      isOpen={isOpen}
      title={t(props.title ?? 'settings.inviteTitle')}
      isBusy={invite.isPending}
      secret={
        made && {
          label: t('settings.inviteLink', { email: made.email }),
          value: new URL(made.link, location.origin).href,
          note: made.mailed && <Text>{t('alerts.mailed', { email: made.email })}</Text>,
        }
      }
      onClose={close}
    >
      <form onSubmit={form.onSubmit(({ email }) => invite.mutate({ email, role }))}>
        <Stack gap="md">
          <Text>{t('settings.inviteText')}</Text>
          <ErrorNotice error={invite.error} labels={{ email: t('settings.email'), role: t('settings.role') }} />
          <TextInput
            label={t('settings.email')}
            type="email"
            required
            withAsterisk={false}
            autoComplete="off"
            data-autofocus
            {...form.getInputProps('email')}
          />
          <Radio.Group
            label={t('settings.role')}
            value={role}
            onChange={(chosen) => form.setFieldValue('role', chosen)}
          >
            <Stack gap="xs" mt={4}>
              {roles.map((each) => (
                <Radio key={each.role} value={each.role} label={t(each.name)} description={t(each.text)} />
              ))}
            </Stack>
          </Radio.Group>
          <Group justify="flex-end">
            <Button type="submit" loading={invite.isPending}>
              {t('settings.inviteMake')}
            </Button>
          </Group>
        </Stack>
      </form>
    </SecretDialog>
  );
}
