import { Alert, Anchor, Button, Group, Text } from '@mantine/core';
import { useAccountChoice } from '../api/account.tsx';
import { useOwnAccount } from '../api/own-account.ts';
import { useSession } from '../api/session.ts';
import type { Account } from '../api/wire.ts';
import { ViewAnchor } from '../components/view-links.tsx';
import { WarningIcon } from '../icons.tsx';
import { useFormat } from '../text/format.ts';
import { useText } from '../text/text.tsx';

/** A banner on every page of an account: the account is suspended, or its balance is low. */
export function AccountBanner() {
  const { account } = useAccountChoice();
  const own = useOwnAccount();
  if (!account || !own) return null;
  return own.status === 'suspended' ? <Suspended name={account.name} /> : <LowBalance own={own} />;
}

/** All requests are refused. Shows the support address, if there is one. */
function Suspended({ name }: { readonly name: string }) {
  const { t } = useText();
  const { support_email: email } = useSession();
  return (
    <Alert color="red" radius={0} py="xs" icon={<WarningIcon />} role="status">
      <Text fz="sm">
        {t('frame.suspended', { name })}{' '}
        {email ? (
          <Anchor href={`mailto:${email}`} inherit underline="always">
            {t('frame.suspendedAsk', { email })}
          </Anchor>
        ) : (
          t('frame.suspendedAskOperator')
        )}
      </Text>
    </Alert>
  );
}

/** The balance is at or below the owners' threshold. Renders nothing above it, or without a threshold. */
function LowBalance({ own }: { readonly own: Account }) {
  const { t } = useText();
  const format = useFormat();
  const { currency } = useSession();
  const threshold = own.low_balance;
  if (own.billing === 'postpaid' || threshold === null || Number(own.balance) > Number(threshold)) return null;
  return (
    <Alert color="yellow" radius={0} py="xs" icon={<WarningIcon />} role="status">
      <Text fz="sm">
        {t('frame.lowBalance', {
          balance: format.money(own.balance, currency),
          line: format.money(threshold, currency),
        })}{' '}
        <ViewAnchor to="/app/billing" inherit underline="always">
          {t('frame.lowBalanceTopUp')}
        </ViewAnchor>
      </Text>
    </Alert>
  );
}

/** Shown while an operator views the account of another user. */
export function ViewingBanner() {
  const { t } = useText();
  const { account, leave } = useAccountChoice();
  if (!account?.isForeign) return null;
  return (
    <Alert color="yellow" radius={0} py="xs" role="status">
      <Group justify="space-between" gap="sm">
        <Text fz="sm">{t('frame.viewingAs', { name: account.name })}</Text>
        <Button size="compact-sm" variant="default" onClick={leave}>
          {t('frame.stopViewing')}
        </Button>
      </Group>
    </Alert>
  );
}
