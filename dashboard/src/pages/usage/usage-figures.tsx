import { useSession } from '../../api/session.ts';
import { Money } from '../../components/money.tsx';
import { StatCard, StatRow } from '../../components/stat-card.tsx';
import { UsageCards } from '../../components/usage-cards.tsx';
import { ViewAnchor } from '../../components/view-links.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { spanFilter, type Usage } from './usage-line.ts';
import { isCosted, UncostedNote } from './margin.tsx';
import type { UsageScope } from './scope.ts';

export interface UsageFiguresProps {
  readonly usage: Usage | undefined;
  readonly scope: UsageScope;
  readonly account?: string | undefined;
}

/** The totals of the range. Figures with requests behind them are links. */
export function UsageFigures({ usage, scope, account }: UsageFiguresProps) {
  const { t } = useText();
  const format = useFormat();
  const totals = usage?.totals;
  const search = usage && spanFilter(usage, account);
  return (
    <StatRow>
      <StatCard
        label={t(scope.isOperator ? 'usage.revenue' : 'usage.spend')}
        value={totals && <Money amount={totals.spend} />}
        hint={scope.isOperator ? t('usage.revenueHint') : undefined}
      />
      {scope.isOperator && <Margin usage={usage} />}
      <StatCard
        label={t('usage.requests')}
        value={
          totals &&
          search && (
            <ViewAnchor to={scope.requests} search={search} inherit>
              {format.compact(totals.requests)}
            </ViewAnchor>
          )
        }
        hint={
          totals &&
          search && (
            <ViewAnchor to={scope.requests} search={{ ...search, status: 'failed' }} fz="xs">
              {t('usage.errorShare', {
                count: format.number(totals.errors),
                share: format.percent(totals.requests === 0 ? 0 : totals.errors / totals.requests),
              })}
            </ViewAnchor>
          )
        }
      />
      <UsageCards totals={totals} />
    </StatRow>
  );
}

/** The margin between charges and provider cost, only for requests whose cost is known. */
function Margin({ usage }: { readonly usage: Usage | undefined }) {
  const { t } = useText();
  const format = useFormat();
  const { currency } = useSession();
  const totals = usage?.totals;
  const { provider_cost: cost = '0', margin, costed_spend: costed = '0' } = totals ?? {};
  const isKnown = totals !== undefined && isCosted(totals);
  const share = Number(costed) > 0 ? format.percent(Number(margin) / Number(costed)) : '–';
  const exact = (amount: string) => format.exactMoney(amount, currency);
  return (
    <StatCard
      label={t('usage.margin')}
      value={margin === undefined ? undefined : <Money amount={isKnown ? margin : null} />}
      hint={
        isKnown ? (
          <>
            {t('usage.marginHint', { share, revenue: exact(costed), cost: exact(cost) })}
            <UncostedNote figures={totals} />
          </>
        ) : (
          t('usage.noCost')
        )
      }
    />
  );
}
