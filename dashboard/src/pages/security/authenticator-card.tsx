import { Badge, Button, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useSession } from '../../api/session.ts';
import { Dialog } from '../../components/dialog.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { useText } from '../../text/text.tsx';
import { AuthenticatorEnd } from './authenticator-end.tsx';
import { AuthenticatorSetup } from './authenticator-setup.tsx';
import { RenewedCodes } from './backup-codes.tsx';

/** The second step of signing in: whether it is asked for, and the way to change that. */
export function AuthenticatorCard() {
  const { t } = useText();
  const isOn = useSession().user.two_factor;
  const [isOpen, dialog] = useDisclosure(false);
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
                {t('settings.totpRenew')}
              </Button>
            )}
            <Button variant="default" onClick={dialog.open}>
              {t(isOn ? 'settings.totpEnd' : 'settings.totpBegin')}
            </Button>
          </Group>
        }
      />
      <Dialog isOpen={isOpen} isStubborn onClose={dialog.close} title={t('settings.totpTitle')} size="lg">
        {isOn ? <AuthenticatorEnd onDone={dialog.close} /> : <AuthenticatorSetup onDone={dialog.close} />}
      </Dialog>
      {isRenewing && <RenewedCodes onClose={renewal.close} />}
    </>
  );
}
