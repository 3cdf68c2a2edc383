import { Button, Group, Modal, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useWrite } from '../../api/queries.ts';
import type { MadeInvitation, NewInvitation } from '../../api/wire.ts';
import { CopyField } from '../../components/copy-field.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useText } from '../../text/text.tsx';
import { roles } from './roles.ts';

interface InviteDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Where the invitation is made: one's own account unless said. */
  readonly path?: string;
}

/** Makes a link for somebody; it is shown once, to be passed on. */
export function InviteDialog({ isOpen, onClose, path = '/account/v1/invitations' }: InviteDialogProps) {
  const { t } = useText();
  const form = useForm<NewInvitation>({ initialValues: { email: '', role: 'member' } });
  const invite = useWrite<MadeInvitation, NewInvitation>({
    path,
    changes: ['/account/v1/invitations'],
  });
  const close = () => {
    onClose();
    form.reset();
    invite.reset();
  };
  return (
    <Modal opened={isOpen} onClose={close} title={t('settings.inviteTitle')}>
      {invite.data ? (
        <Stack gap="lg">
          <CopyField
            label={t('settings.inviteLink', { email: invite.data.email })}
            value={new URL(invite.data.link, location.origin).href}
            once
          />
          <Group justify="flex-end">
            <Button onClick={close}>{t('common.done')}</Button>
          </Group>
        </Stack>
      ) : (
        <form onSubmit={form.onSubmit((values) => invite.mutate(values))}>
          <Stack gap="md">
            <Text>{t('settings.inviteText')}</Text>
            <ErrorNotice error={invite.error} />
            <TextInput
              label={t('settings.email')}
              type="email"
              required
              withAsterisk={false}
              autoComplete="off"
              data-autofocus
              {...form.getInputProps('email')}
            />
            <Radio.Group label={t('settings.role')} {...form.getInputProps('role')}>
              <Stack gap="xs" mt={4}>
                {roles.map(({ role, name, text }) => (
                  <Radio key={role} value={role} label={t(name)} description={t(text)} />
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
      )}
    </Modal>
  );
}
