import { Button, Skeleton, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { addPasskey, hasPasskeys } from '../../api/passkeys.ts';
import { refresh, useRead } from '../../api/queries.ts';
import { useWrite } from '../../api/write.ts';
import { useSession } from '../../api/session.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { deviceName } from '../../components/names.ts';
import { SectionCard } from '../../components/section-card.tsx';
import { notifySuccess } from '../../text/notify.ts';
import { When } from '../../components/when.tsx';
import { useText } from '../../text/text.tsx';
import { ItemList } from './item-list.tsx';
import { PasswordForm } from './password-form.tsx';

interface Passkey {
  readonly id: string;
  readonly name: string | null;
  readonly created_at: string | null;
}

export function PasskeysCard() {
  const { t } = useText();
  const client = useQueryClient();
  const passkeys = useRead<{ data: readonly Passkey[] }>('/auth/passkeys');
  // Browsers bind a passkey to a host name; an IP address has none.
  const isByNumber = /^[\d.]+$|^\[/.test(location.hostname);
  const { user } = useSession();
  const [isDialogOpen, dialog] = useDisclosure(false);
  const [removed, setRemoved] = useState<Passkey>();
  const add = useMutation({
    mutationFn: (password?: string) => {
      const name = deviceName(navigator.userAgent) ?? t('settings.passkeyUnnamed');
      return addPasskey({ name, ...(password !== undefined && { password }) });
    },
    onSuccess: async () => {
      dialog.close();
      notifySuccess(t('settings.passkeyAdded'));
      await refresh(client, '/auth/passkeys');
    },
  });
  const refusal = add.error instanceof ApiError ? add.error : null;
  const remove = useWrite<unknown, Passkey>({
    method: 'DELETE',
    path: ({ id }) => `/auth/passkeys/${encodeURIComponent(id)}`,
    send: () => undefined,
    changes: ['/auth/passkeys'],
  });
  return (
    <SectionCard
      title={t('settings.passkeysTitle')}
      text={
        isByNumber
          ? t('settings.passkeyByNumber')
          : hasPasskeys()
            ? t('settings.passkeysText')
            : t('settings.passkeyUnsupported')
      }
      action={
        <Button
          variant="default"
          loading={add.isPending}
          disabled={isByNumber || !hasPasskeys()}
          onClick={() => (user.has_password ? dialog.open() : add.mutate(undefined))}
        >
          {t('settings.passkeyAdd')}
        </Button>
      }
    >
      {!isDialogOpen && refusal && <ErrorNotice error={refusal} />}
      {!isDialogOpen && add.error && !refusal && <NotMade />}
      <Dialog isOpen={isDialogOpen} isLocked={add.isPending} onClose={dialog.close} title={t('settings.passkeyAdd')}>
        {add.error && !refusal && <NotMade />}
        <PasswordForm
          text={t('settings.passkeyPassword')}
          action={t('settings.passkeyAdd')}
          isBusy={add.isPending}
          error={refusal}
          onPassword={(password) => add.mutate(password)}
        />
      </Dialog>
      <ErrorNotice error={passkeys.error} onRetry={() => void passkeys.refetch()} />
      {passkeys.isPending && <Skeleton height={48} />}
      {passkeys.data?.data.length === 0 && <Text c="dimmed">{t('settings.passkeyNone')}</Text>}
      <ItemList
        items={(passkeys.data?.data ?? []).map((passkey) => ({
          id: passkey.id,
          name: passkey.name ?? t('settings.passkeyUnnamed'),
          note: (
            <>
              {t('settings.added')} <When at={passkey.created_at} />
            </>
          ),
          action: (
            <Button variant="subtle" color="gray" size="compact-sm" onClick={() => setRemoved(passkey)}>
              {t('common.remove')}
            </Button>
          ),
        }))}
      />
      <ConfirmDialog
        isOpen={removed !== undefined}
        title={t('settings.passkeyRemove')}
        text={t('settings.passkeyRemoveText')}
        action={t('common.remove')}
        write={remove}
        body={removed}
        onClose={() => setRemoved(undefined)}
      />
    </SectionCard>
  );
}

function NotMade() {
  const { t } = useText();
  return (
    <Text c="red" fz="sm" role="alert">
      {t('settings.passkeyNotCreated')}
    </Text>
  );
}
