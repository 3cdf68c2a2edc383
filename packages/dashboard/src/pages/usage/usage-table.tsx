import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { asPages } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Money } from '../../components/money.tsx';
import { ViewAnchor } from '../../components/view-links.tsx';
import { OverviewIcon } from '../../icons.tsx';
import { type Format, tokenFlow, useFormat } from '../../text/format.ts';
import { type Translate, useText } from '../../text/text.tsx';
import { marginColumns } from './margin.tsx';
import { groupingWords, lineFilter, lineName, spanFilter, type Usage, type UsageLine } from './usage-line.ts';
import type { UsageScope } from './scope.ts';
import type { UsageChoice } from './usage-query.ts';

export interface UsageTableProps {
  readonly usage: Usage | undefined;
  readonly scope: UsageScope;
  readonly choice: UsageChoice;
}

/** One row per value, with links to its requests. */
export function UsageTable({ usage, scope, choice }: UsageTableProps) {
  const { t } = useText();
  const format = useFormat();
  const { by, account } = choice;
  const linked = (line: UsageLine, children: ReactNode, more: Readonly<Record<string, string>> = {}) => {
    const filter = lineFilter(by, line);
    if (!filter || !usage) return children;
    return (
      <ViewAnchor to={scope.requests} search={{ ...spanFilter(usage, account), ...filter, ...more }} inherit>
        {children}
      </ViewAnchor>
    );
  };
  return (
    <DataTable
      label={t('usage.table', { by: t(groupingWords[by]) })}
      columns={columnsOf({ t, format, scope, choice, linked })}
      pages={asPages<UsageLine>({ data: usage?.lines })}
      rowKey={({ kind, value, account_id: id }) => `${kind} ${id ?? ''} ${value ?? ''}`}
      empty={<EmptyState icon={<OverviewIcon size={28} />} title={t('usage.emptyTitle')} text={t('usage.emptyText')} />}
    />
  );
}

interface ColumnParts {
  readonly t: Translate;
  readonly format: Format;
  readonly scope: UsageScope;
  readonly choice: UsageChoice;
  readonly linked: (line: UsageLine, children: ReactNode, more?: Readonly<Record<string, string>>) => ReactNode;
}

function columnsOf({ t, format, scope, choice: { by }, linked }: ColumnParts): readonly Column<UsageLine>[] {
  const duration = (ms: number | null) => (ms === null ? '–' : format.duration(ms));
  const money: readonly Column<UsageLine>[] = scope.isOperator
    ? marginColumns<UsageLine>(t, (line) => line, linked)
    : [
        {
          key: 'spend',
          header: t('usage.spend'),
          align: 'right',
          cell: (line) => linked(line, <Money amount={line.spend} />),
        },
      ];
  const tokens: readonly Column<UsageLine>[] = scope.isOperator
    ? [
        {
          key: 'tokens',
          header: t('overview.tokens'),
          align: 'right',
          dropOrder: 1,
          cell: ({ prompt_tokens: prompt, completion_tokens: completion }) =>
            tokenFlow(prompt, completion, format.compact),
        },
      ]
    : [
        { key: 'in', header: t('usage.tokensIn'), align: 'right', cell: (line) => format.compact(line.prompt_tokens) },
        {
          key: 'out',
          header: t('usage.tokensOut'),
          align: 'right',
          cell: (line) => format.compact(line.completion_tokens),
        },
      ];
  return [
    { key: 'name', header: t(groupingWords[by]), cell: (line) => <LineName line={line} by={by} /> },
    {
      key: 'requests',
      header: t('usage.requests'),
      align: 'right',
      cell: (line) => (
        <>
          {linked(line, format.number(line.requests))}
          <Calls line={line} />
        </>
      ),
    },
    {
      key: 'errors',
      header: t('usage.errors'),
      align: 'right',
      cell: (line) =>
        line.errors === 0 || (by === 'status' && line.errors !== line.requests)
          ? format.number(line.errors)
          : linked(line, format.number(line.errors), by === 'error' || by === 'status' ? {} : { status: 'failed' }),
    },
    // The money of operators comes before figures that may not fit.
    ...(scope.isOperator ? money : []),
    ...tokens,
    // The time to the first token includes the time in the queue. Operators have no room for both.
    ...(scope.isOperator
      ? []
      : [
          {
            key: 'wait',
            header: t('usage.wait'),
            align: 'right' as const,
            wideOnly: true,
            dropOrder: 1,
            cell: (line: UsageLine) => duration(line.queue_ms_p50),
          },
        ]),
    {
      key: 'first',
      header: t('usage.firstByte'),
      align: 'right',
      wideOnly: true,
      dropOrder: 3,
      cell: (line) => (
        <span
          title={t('usage.percentiles', {
            p50: duration(line.first_token_ms_p50),
            p95: duration(line.first_token_ms_p95),
          })}
        >
          {duration(line.first_token_ms_p50)}
        </span>
      ),
    },
    ...(scope.isOperator ? [] : money),
  ];
}

/** Calls of an upstream, which may have failed for requests that another upstream answered. */
function Calls({ line: { calls, failed_calls: failed } }: { readonly line: UsageLine }) {
  const { t } = useText();
  const format = useFormat();
  if (calls === null || calls === undefined) return null;
  return (
    <Text fz="xs" c="dimmed">
      {t('usage.calls', { calls: format.number(calls), failed: format.number(failed ?? 0) })}
    </Text>
  );
}

function LineName({ line, by }: { readonly line: UsageLine; readonly by: UsageChoice['by'] }) {
  const { t } = useText();
  const isNamed = line.kind === 'value';
  return (
    <Text
      span
      inherit
      c={isNamed ? undefined : 'dimmed'}
      title={isNamed ? (line.value ?? undefined) : t('usage.otherHint')}
    >
      {lineName(by, line, t)}
    </Text>
  );
}
