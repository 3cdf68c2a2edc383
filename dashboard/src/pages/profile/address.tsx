import { Button, Stack, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useSearch } from '@tanstack/react-router';
import { useWrite } from '../../api/write.ts';
import { useSession } from '../../api/session.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useText } from '../../text/text.tsx';

/** The e-mail address, and a way to verify it for users who signed up before e-mail was configured. */
export function Address() {
  const { t } = useText();
  const { user, is_mail_on: isMailOn } = useSession();
  const { confirm: token }: { readonly confirm?: string } = useSearch({ strict: false });
  const send = useWrite({ path: '/auth/address/email' });
  const confirm = useWrite<unknown, { token: string }>({ path: '/auth/address/confirm', changes: ['session'] });
  if (user.is_verified || !isMailOn) return user.email;
  const isHere = token !== undefined && !confirm.error;
  return (
    <Stack gap="xs" align="flex-start">
      {user.email}
      <Text size="sm" c="dimmed">
        {t(isHere ? 'settings.addressHere' : 'settings.addressUnconfirmed')}
      </Text>
      <ErrorNotice error={confirm.error ?? send.error} />
      {isHere ? (
        <Button
          loading={confirm.isPending}
          onClick={() =>
            confirm.mutate(
              { token },
              { onSuccess: () => notifications.show({ message: t('settings.addressConfirmed') }) },
            )
          }
        >
          {t('settings.addressConfirm')}
        </Button>
      ) : (
        <Button variant="default" loading={send.isPending} disabled={send.isSuccess} onClick={() => send.mutate()}>
          {t('settings.addressSend')}
        </Button>
      )}
      {send.isSuccess && (
        <Text size="sm" role="status">
          {t('settings.addressSent', { email: user.email })}
        </Text>
      )}
    </Stack>
  );
}
