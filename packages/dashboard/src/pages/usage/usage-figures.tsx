import type { ReactNode } from 'react';
import { useSession } from '../../api/session.ts';
import { Change } from '../../components/change.tsx';
import { FigureRow, LeadCard } from '../../components/figures.tsx';
import { figureTexts } from '../../components/figure-texts.ts';
import { Money } from '../../components/money.tsx';
import { TrafficFigures } from '../../components/traffic-figures.tsx';
import { ViewAnchor } from '../../components/view-links.tsx';
import { useFormat } from '../../text/format.ts';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { Margin, marginShare, MarginNote } from './margin.tsx';
import type { UsageScope } from './scope.ts';
import { spanFilter, type Usage } from './usage-line.ts';
import type { Measure } from './usage-query.ts';

export interface UsageLeadProps {
  readonly usage: Usage | undefined;
  readonly scope: UsageScope;
  /** The first figure. */
  readonly measure: Measure;
  readonly account?: string | undefined;
  /** The chart of the first figure. */
  readonly children: ReactNode;
}

const noSpan = { since: '', until: '' };
/** More revenue is good and more errors are bad. More spend or requests are neither. */
const goodDirection = { spend: 'more', requests: undefined, errors: 'less' } as const;

/** The total of the measure that the chart draws, with its change. The second figure is the margin or the spend. */
export function UsageLead({ usage, scope, measure, account, children }: UsageLeadProps) {
  const { t } = useText();
  const figureText = usePageText(figureTexts);
  const format = useFormat();
  const { currency } = useSession();
  const totals = usage?.totals;
  const write = (value: number | string) =>
    measure === 'spend' ? format.money(String(value), currency) : format.compact(Number(value));
  const isRevenue = scope.isOperator && measure === 'spend';
  const search = usage && spanFilter(usage, account);
  return (
    <LeadCard
      label={t(isRevenue ? 'usage.revenue' : `usage.${measure}`)}
      value={totals && (measure === 'spend' ? <Money amount={totals.spend} /> : format.number(totals[measure]))}
      change={
        <Change
          now={totals?.[measure]}
          before={usage && (usage.previous?.[measure] ?? 0)}
          span={usage ?? noSpan}
          write={write}
          good={measure === 'spend' && !scope.isOperator ? undefined : goodDirection[measure]}
          isNamed
        />
      }
      note={
        measure !== 'spend' &&
        search && (
          <ViewAnchor
            to={scope.requests}
            search={{ ...search, ...(measure === 'errors' && { status: 'failed' }) }}
            inherit
          >
            {figureText('openRequests')}
          </ViewAnchor>
        )
      }
      second={secondFigure()}
    >
      {children}
    </LeadCard>
  );

  function secondFigure() {
    if (scope.isOperator) {
      return {
        label: t('usage.margin'),
        value: totals && <Margin figures={totals} />,
        change: totals && marginShare(totals, format),
        note: totals && <MarginNote figures={totals} />,
      };
    }
    if (measure === 'spend') return undefined;
    return { label: t('usage.spend'), value: totals && <Money amount={totals.spend} /> };
  }
}

/** The other totals of the range. Figures with requests behind them are links. */
export function UsageRow({ usage, scope, account }: Pick<UsageLeadProps, 'usage' | 'scope' | 'account'>) {
  return (
    <FigureRow>
      <TrafficFigures
        totals={usage?.totals}
        previous={usage?.previous ?? undefined}
        span={usage ?? noSpan}
        requests={{ to: scope.requests, search: usage ? spanFilter(usage, account) : {} }}
      />
    </FigureRow>
  );
}
