import { Badge, Button, Center, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMemo, useState } from 'react';
import { encode } from 'uqr';
import { useSession } from '../../api/session.ts';
import { useWrite } from '../../api/write.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { Dialog, DialogFooter } from '../../components/dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Form } from '../../components/form.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { useText } from '../../text/text.tsx';
import { PasswordForm } from './password-form.tsx';

/** Two-factor authentication: its state, and a way to change it. */
export function AuthenticatorCard() {
  const { t } = useText();
  const isOn = useSession().user.two_factor;
  // An open dialog keeps its purpose: if two-factor turns on meanwhile, the dialog must not ask to turn it off.
  const [opened, setOpened] = useState<'setup' | 'end'>();
  const close = () => setOpened(undefined);
  const [isRenewing, renewal] = useDisclosure(false);
  return (
    <>
      <SectionCard
        title={t('settings.totpTitle')}
        text={t('settings.totpText')}
        action={
          <Group gap="sm">
            <Badge color={isOn ? 'accent' : 'gray'}>{t(isOn ? 'settings.totpOn' : 'settings.totpOff')}</Badge>
            {isOn && (
              <Button variant="default" onClick={renewal.open}>
                {t('settings.newBackupCodes')}
              </Button>
            )}
            <Button variant="default" onClick={() => setOpened(isOn ? 'end' : 'setup')}>
              {t(isOn ? 'settings.totpEnd' : 'settings.totpBegin')}
            </Button>
          </Group>
        }
      />
      <Dialog
        isOpen={opened !== undefined}
        isClosedByButtonOnly
        onClose={close}
        title={t('settings.totpTitle')}
        size="lg"
      >
        {opened === 'end' ? <AuthenticatorEnd onDone={close} /> : <AuthenticatorSetup onDone={close} />}
      </Dialog>
      {isRenewing && <RenewedCodes onClose={renewal.close} />}
    </>
  );
}

function AuthenticatorEnd({ onDone }: { readonly onDone: () => void }) {
  const { t } = useText();
  const end = useWrite<unknown, { password: string }>({
    path: '/auth/totp/disable',
    changes: ['session'],
    successMessage: () => t('settings.totpEnded'),
  });
  return (
    <PasswordForm
      text={t('settings.totpEndText')}
      action={t('settings.totpEnd')}
      isDangerous
      isBusy={end.isPending}
      error={end.error}
      onPassword={(password) => end.mutate({ password }, { onSuccess: onDone })}
    />
  );
}

interface SetupSecret {
  readonly uri: string;
  readonly secret: string;
  readonly backup_codes: readonly string[];
}

/** Asks for the password, shows the secret and the backup codes, and then asks for a code of the app. */
function AuthenticatorSetup({ onDone }: { readonly onDone: () => void }) {
  const { t } = useText();
  const begin = useWrite<SetupSecret, { password: string }>({ path: '/auth/totp/begin' });
  if (begin.data) return <Confirmation setup={begin.data} onDone={onDone} />;
  return (
    <PasswordForm
      text={t('settings.totpText')}
      action={t('common.next')}
      isBusy={begin.isPending}
      error={begin.error}
      onPassword={(password) => begin.mutate({ password })}
    />
  );
}

function Confirmation({ setup, onDone }: { readonly setup: SetupSecret; readonly onDone: () => void }) {
  const { t } = useText();
  const [code, setCode] = useState('');
  const confirm = useWrite<unknown, { code: string }>({
    path: '/auth/totp/confirm',
    changes: ['session'],
    successMessage: () => t('settings.totpConfirmed'),
  });
  return (
    <Form onSubmit={() => confirm.mutate({ code }, { onSuccess: onDone })}>
      <Stack gap="md">
        <Text>{t('settings.totpScan')}</Text>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="lg">
          <Center>
            <QrImage text={setup.uri} label={t('settings.totpQr')} />
          </Center>
          <Stack gap="md">
            <CopyField label={t('settings.totpSecret')} value={setup.secret} once isWrapped />
            <TextInput
              label={t('signIn.code')}
              description={t('signIn.codeText')}
              value={code}
              onChange={({ currentTarget }) => setCode(currentTarget.value.replace(/\D/g, ''))}
              inputMode="numeric"
              maxLength={6}
              autoComplete="one-time-code"
            />
          </Stack>
        </SimpleGrid>
        <BackupCodes codes={setup.backup_codes} />
        <ErrorNotice error={confirm.error} labels={{ code: t('signIn.code') }} />
        <DialogFooter>
          <Button type="submit" loading={confirm.isPending} disabled={code.length < 6}>
            {t('settings.totpConfirm')}
          </Button>
        </DialogFooter>
      </Stack>
    </Form>
  );
}

/** Backup codes, each for one sign-in. */
function BackupCodes({ codes }: { readonly codes: readonly string[] }) {
  const { t } = useText();
  return (
    <Stack gap={4}>
      <Text fz="sm" fw={500}>
        {t('settings.totpCodes')}
      </Text>
      <Text fz="xs" c="dimmed">
        {t('settings.totpCodesText')}
      </Text>
      <CodeBlock snippets={[{ name: t('settings.totpCodes'), code: codes.join('\n') }]} />
    </Stack>
  );
}

/** Replaces the backup codes. The old ones no longer work, so the dialog does not close by accident. */
function RenewedCodes({ onClose }: { readonly onClose: () => void }) {
  const { t } = useText();
  const renew = useWrite<{ backup_codes: readonly string[] }, { password: string }>({
    path: '/auth/totp/backup-codes',
  });
  return (
    <Dialog
      title={t('settings.newBackupCodes')}
      isLocked={renew.isPending || renew.data !== undefined}
      onClose={onClose}
    >
      {renew.data ? (
        <Stack gap="lg">
          <BackupCodes codes={renew.data.backup_codes} />
          <DialogFooter>
            <Button onClick={onClose}>{t('common.done')}</Button>
          </DialogFooter>
        </Stack>
      ) : (
        <PasswordForm
          text={t('settings.totpRenewText')}
          action={t('settings.totpRenewDo')}
          isBusy={renew.isPending}
          error={renew.error}
          onPassword={(password) => renew.mutate({ password })}
        />
      )}
    </Dialog>
  );
}

interface QrImageProps {
  readonly text: string;
  readonly label: string;
  readonly size?: number;
}

/**
 * A QR code, drawn in the browser: its text may be a secret and is sent nowhere. Always dark on light, as readers
 * expect.
 */
function QrImage({ text, label, size = 200 }: QrImageProps) {
  const { data: modules, size: side } = useMemo(() => encode(text, { ecc: 'M', border: 4 }), [text]);
  const path = modules.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg
      width={size}
      height={size}
      viewBox={`0 0 ${side} ${side}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={side} height={side} rx={2} fill="#fff" />
      <path d={path} fill="#111" />
    </svg>
  );
}
