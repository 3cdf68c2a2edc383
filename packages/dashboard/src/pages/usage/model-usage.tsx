import { useNavigate } from '@tanstack/react-router';
import { decimalText, nanoFrom } from 'chat-gateway-figures/money.ts';
import { useSession } from '../../api/session.ts';
import { Change } from '../../components/change.tsx';
import { LeadCard } from '../../components/figures.tsx';
import { figureTexts } from '../../components/figure-texts.ts';
import { Money } from '../../components/money.tsx';
import { TimeChart } from '../../components/time-chart.tsx';
import { ViewAnchor } from '../../components/view-links.tsx';
import { useFormat } from '../../text/format.ts';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import type { UsageScope } from './scope.ts';
import { spanFilter, type Usage, type UsageLine } from './usage-line.ts';

export interface ModelUsageProps {
  readonly scope: UsageScope;
  readonly model: string;
  readonly usage: Usage;
  readonly line: UsageLine;
  /** The length of the range, and of the period before it. */
  readonly days: number;
}

/** The spend on one model in the last 30 days, and its trend. */
export default function ModelUsage({ scope, model, usage, line, days }: ModelUsageProps) {
  const { t } = useText();
  const figureText = usePageText(figureTexts);
  const format = useFormat();
  const { currency } = useSession();
  const navigate = useNavigate();
  const now = line.series.slice(-days);
  const before = line.series.slice(0, -days);
  const points = usage.points.slice(-days);
  const span = { since: points[0]?.at ?? usage.since, until: usage.until };
  const spend = sumOf(now);
  const requests = now.reduce((sum, point) => sum + point.requests, 0);
  const open = (time: typeof span) => ({ to: scope.requests, search: { ...spanFilter(time, undefined), model } });
  const count = (value: number | string) => format.compact(Number(value));
  return (
    <LeadCard
      label={figureText(scope.isOperator ? 'revenueOf' : 'spendOn')}
      value={<Money amount={spend} />}
      change={
        <Change
          now={spend}
          before={sumOf(before)}
          span={span}
          write={(amount) => format.money(String(amount), currency)}
          good={scope.isOperator ? 'more' : undefined}
          isNamed
        />
      }
      second={{
        label: figureText('requests'),
        value: (
          <ViewAnchor {...open(span)} inherit c="inherit">
            {count(requests)}
          </ViewAnchor>
        ),
        change: (
          <Change
            now={requests}
            before={before.reduce((sum, point) => sum + point.requests, 0)}
            span={span}
            write={count}
          />
        ),
      }}
    >
      <TimeChart
        label={figureText('spendOnChart')}
        times={points.map(({ at }) => at)}
        until={usage.until}
        interval="day"
        shape="bars"
        unit="money"
        height={148}
        series={[
          {
            label: t(scope.isOperator ? 'usage.revenue' : 'usage.spend'),
            color: 1,
            total: spend,
            values: now.map((point) => Number(point.spend)),
          },
        ]}
        onPick={(picked) => void navigate(open(picked))}
      />
    </LeadCard>
  );
}

function sumOf(points: UsageLine['series']): string {
  return decimalText(points.reduce((sum, { spend }) => sum + nanoFrom(spend), 0n));
}
