import { Stack, Text } from '@mantine/core';
import type { Account, Balance } from '../../api/wire.ts';
import { refetchMs, useRead } from '../../api/queries.ts';
import { CacheSavings, Money } from '../../components/money.tsx';
import { StatCard, StatRow } from '../../components/stat-card.tsx';
import { When } from '../../components/when.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { useAccountUsage } from './account-usage.ts';

/** The balance of the account and its recent usage. */
export function AccountFigures({ id, account }: { readonly id: string; readonly account: Account | undefined }) {
  const { t } = useText();
  const format = useFormat();
  const { data: balance } = useRead<Balance>(
    `/admin/v1/accounts/${encodeURIComponent(id)}/balance`,
    {},
    { refetchInterval: refetchMs },
  );
  const { data: usage } = useAccountUsage(id);
  const totals = usage?.totals;
  return (
    <StatRow>
      <StatCard
        label={t('accounts.balance')}
        value={balance && <Money amount={balance.total} />}
        hint={balance && <BalanceParts balance={balance} />}
      />
      <StatCard
        label={t('accounts.spend30')}
        value={totals && <Money amount={totals.spend} />}
        hint={totals && <CacheSavings amount={totals.cache_savings} />}
      />
      <StatCard
        label={t('accounts.requests30')}
        value={totals && format.compact(totals.requests)}
        hint={
          totals &&
          totals.requests > 0 &&
          t('accounts.errorShare', { share: format.percent(totals.errors / totals.requests) })
        }
      />
      <StatCard
        label={t('accounts.lastUsed')}
        value={account && <When at={account.last_used_at} />}
        hint={account && t('accounts.keysActive', { count: account.keys })}
      />
    </StatRow>
  );
}

function BalanceParts({ balance }: { readonly balance: Balance }) {
  const { t } = useText();
  const format = useFormat();
  const money = (amount: string) => format.money(amount, balance.currency);
  return (
    <Stack gap={0}>
      <Text inherit>
        {t('accounts.granted', { amount: money(balance.granted) })} ·{' '}
        {t('accounts.toppedUp', { amount: money(balance.topped_up) })}
      </Text>
      {Number(balance.reserved) > 0 && (
        <Text inherit>{t('accounts.reserved', { amount: money(balance.reserved) })}</Text>
      )}
    </Stack>
  );
}
