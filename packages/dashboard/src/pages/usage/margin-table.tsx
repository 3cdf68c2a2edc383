import { Text, Title } from '@mantine/core';
import { asPages } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { useMonthName } from '../../components/names.ts';
import { ViewAnchor } from '../../components/view-links.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { wallTime } from '../../text/wall-clock.ts';
import { isCosted, marginColumns } from './margin.tsx';
import type { UsageScope } from './scope.ts';
import { spanFilter, type Usage } from './usage-line.ts';
import type { UsageChoice } from './usage-query.ts';

export interface MarginTableProps {
  readonly usage: Usage | undefined;
  readonly scope: UsageScope;
  readonly choice: UsageChoice;
}

interface MarginRow {
  /** Undefined for the whole range. */
  readonly at: string | undefined;
  readonly span: Pick<Usage, 'since' | 'until'>;
  readonly figures: Usage['totals'];
}

const titles = { hour: 'usage.marginByHour', day: 'usage.marginByDay', month: 'usage.marginByMonth' } as const;

/**
 * Revenue, provider cost and margin of the range and of each hour, day or month with requests, newest first. For
 * operators.
 */
export default function MarginTable({ usage, scope, choice: { interval, account } }: MarginTableProps) {
  const { t } = useText();
  const format = useFormat();
  const timeOf = useTimeOf(interval);
  const columns: readonly Column<MarginRow>[] = [
    { key: 'at', header: t('billing.when'), cell: ({ at }) => (at === undefined ? <Total /> : timeOf(at)) },
    {
      key: 'requests',
      header: t('usage.requests'),
      align: 'right',
      cell: ({ span, figures: { requests } }) => (
        <ViewAnchor to={scope.requests} search={spanFilter(span, account)} inherit>
          {format.number(requests)}
        </ViewAnchor>
      ),
    },
    ...marginColumns<MarginRow>(t, ({ figures }) => figures),
  ];
  return (
    <section>
      <Title order={2} size="h3">
        {t(titles[interval])}
      </Title>
      <Text fz="sm" c="dimmed" mb="sm">
        {t('usage.marginHelp')}
      </Text>
      <DataTable
        label={t(titles[interval])}
        columns={columns}
        pages={asPages<MarginRow>({ data: usage && rowsOf(usage) })}
        rowKey={({ at = '' }) => at}
        empty={null}
      />
    </section>
  );
}

function rowsOf({ since, until, totals, points, series }: Usage): readonly MarginRow[] {
  const rows = points.flatMap((point, index): readonly MarginRow[] => {
    const figures = series[index];
    const isEmpty = !figures || (figures.requests === 0 && Number(figures.spend) === 0 && !isCosted(figures));
    return isEmpty ? [] : [{ at: point.at, span: { since: point.at, until: point.until }, figures }];
  });
  return [{ at: undefined, span: { since, until }, figures: totals }, ...rows.reverse()];
}

function Total() {
  const { t } = useText();
  return (
    <Text span inherit fw={600}>
      {t('usage.total')}
    </Text>
  );
}

/** Names a point by its start, in the time zone of the user. */
function useTimeOf(interval: UsageChoice['interval']): (at: string) => string {
  const { timeZone } = useText();
  const format = useFormat();
  const monthName = useMonthName();
  if (interval === 'month') return (at) => monthName(wallTime(at, timeZone).slice(0, 7));
  return interval === 'day' ? format.date : format.dateTime;
}
