import { Stack } from '@mantine/core';
import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';
import { AuthenticatorCard } from './authenticator-card.tsx';
import { PasskeysCard } from './passkeys-card.tsx';
import { PasswordCard } from './password-card.tsx';
import { SessionsCard } from './sessions-card.tsx';

export default function SecurityPage() {
  const { t } = useText();
  return (
    <>
      <PageHeader title={t('nav.security')} description={t('settings.securityText')} />
      <Stack gap="lg" maw={760}>
        <PasswordCard />
        <AuthenticatorCard />
        <PasskeysCard />
        <SessionsCard />
      </Stack>
    </>
  );
}
