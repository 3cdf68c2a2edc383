import { Badge, Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useSession } from '../../api/session.ts';
import { Dialog } from '../../components/dialog.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { useText } from '../../text/text.tsx';
import { AuthenticatorEnd } from './authenticator-end.tsx';
import { AuthenticatorSetup } from './authenticator-setup.tsx';
import { RenewedCodes } from './backup-codes.tsx';

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
