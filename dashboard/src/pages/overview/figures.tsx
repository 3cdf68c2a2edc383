import type { Balance, OwnOverview } from '../../api/wire.ts';
import { refetchMs, useRead } from '../../api/queries.ts';
import { CacheSavings, Money } from '../../components/money.tsx';
import { StatCard, StatRow } from '../../components/stat-card.tsx';
import { UsageCards } from '../../components/usage-cards.tsx';
import { ViewAnchor } from '../../components/view-links.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';

/** The most important numbers. */
export function Figures({ overview }: { readonly overview: OwnOverview | undefined }) {
  const { t } = useText();
  const format = useFormat();
  const balance = useRead<Balance>('/account/v1/balance', {}, { refetchInterval: refetchMs }).data;
  const totals = overview?.totals;
  return (
    <StatRow>
      <StatCard
        label={t('overview.balance')}
        value={balance && <Money amount={balance.total} currency={balance.currency} />}
        hint={
          <ViewAnchor to="/app/billing" fz="xs">
            {t('overview.seeBilling')}
          </ViewAnchor>
        }
      />
      <StatCard
        label={t('overview.spend')}
        value={totals && <Money amount={totals.spend} />}
        hint={totals && <CacheSavings amount={totals.cache_savings} otherwise={t('overview.spendHint')} />}
      />
      <StatCard
        label={t('overview.requests')}
        value={totals && format.compact(totals.requests)}
        hint={totals && errorHint(t, format, totals)}
      />
      <UsageCards totals={totals} />
    </StatRow>
  );
}

function errorHint(
  t: ReturnType<typeof useText>['t'],
  format: ReturnType<typeof useFormat>,
  { requests, errors }: OwnOverview['totals'],
): string {
  if (errors === 0) return t('overview.noErrors');
  return t('overview.errorsHint', { count: errors, share: format.percent(errors / requests) });
}
