import { Alert, Anchor, Text } from '@mantine/core';
import { useAccountChoice } from '../api/account.tsx';
import { useOwnAccount } from '../api/own-account.ts';
import { useSession } from '../api/session.ts';
import { WarningIcon } from '../icons.tsx';
import { useText } from '../text/text.tsx';

/** Says on every page of an account that all its requests are refused, and whom to ask; nothing where they are not. */
export function AccountBanner() {
  const { t } = useText();
  const { account } = useAccountChoice();
  const { support_email: email } = useSession();
  const own = useOwnAccount();
  if (!account || own?.status !== 'suspended') return null;
  return (
    <Alert color="red" radius={0} py="xs" icon={<WarningIcon />} role="status">
      <Text fz="sm">
        {t('frame.suspended', { name: account.name })}{' '}
        {email ? (
          <Anchor href={`mailto:${email}`} inherit underline="always">
            {t('frame.suspendedAsk', { email })}
          </Anchor>
        ) : (
          t('frame.suspendedAskSomebody')
        )}
      </Text>
    </Alert>
  );
}
