import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Request, RequestPage } from '../../api/wire.ts';
import type { Column } from '../../components/data-table.tsx';
import { Money } from '../../components/money.tsx';
import { When } from '../../components/when.tsx';
import { tokenFlow, useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { columnOrder } from './request-query.ts';
import classes from './requests.module.css';
import type { Scope } from './scope.ts';
import { StatusBadge } from '../../components/status.tsx';

/** A row of either list. Fields for operators are missing in the list of an account. */
export type ListedRequest = Omit<Request, ForOperators> & Partial<Pick<Request, ForOperators>>;

/** A page of either list. */
export type RequestListPage = Omit<RequestPage, 'data'> & { readonly data: readonly ListedRequest[] };

type ForOperators = 'upstream' | 'account_name';

export interface RequestColumnsOptions {
  readonly scope: Scope;
  /** The current order, and its setter. */
  readonly order: string | undefined;
  readonly choose: (order: string) => void;
}

/** The columns of the list of requests. */
export function useRequestColumns(options: RequestColumnsOptions): readonly Column<ListedRequest>[] {
  const { scope, order, choose } = options;
  const { isOperator } = scope;
  const { t } = useText();
  const format = useFormat();
  const number = (value: number | null) => (value === null ? '–' : format.number(value));
  const span = (ms: number | null) => (ms === null ? '–' : format.duration(ms));
  const columns: readonly Column<ListedRequest>[] = [
    { key: 'time', header: t('requests.time'), cell: (row) => <When at={row.started_at} as="date-time" /> },
    {
      key: 'model',
      header: t('requests.model'),
      cell: ({ model, requested_model: requested }) => (
        <span className={classes['model']} title={model ?? requested}>
          {model ?? requested}
        </span>
      ),
    },
    ...(isOperator
      ? [
          {
            key: 'account',
            header: t('requests.account'),
            cell: (row: ListedRequest) => (
              <Link to="/app/operator/accounts/$id" params={{ id: row.account_id }} className={classes['account']}>
                {row.account_name ?? row.account_id}
              </Link>
            ),
          },
          {
            key: 'upstream',
            header: t('requests.upstream'),
            cell: (row: ListedRequest) => row.upstream ?? '–',
          },
        ]
      : []),
    {
      key: 'key',
      header: t('requests.key'),
      cell: (row) => (
        <div>
          <Text inherit lineClamp={2} title={row.key_name ?? undefined}>
            {row.key_name ?? row.key_id}
          </Text>
          {row.user_id !== null && <Second>{row.user_id}</Second>}
        </div>
      ),
    },
    {
      key: 'status',
      header: t('requests.status'),
      cell: (row) => <StatusBadge status={row.status} errorCase={row.error_case} />,
    },
    {
      key: 'tokens',
      header: t('requests.tokens'),
      align: 'right',
      cell: ({ prompt_tokens: prompt, completion_tokens: completion }) => (
        <span title={t('requests.tokensHint', { prompt: number(prompt), completion: number(completion) })}>
          {tokenFlow(prompt, completion, format.number)}
        </span>
      ),
    },
    { key: 'cost', header: t('requests.cost'), align: 'right', cell: (row) => <Money amount={row.cost} /> },
    { key: 'wait', header: t('requests.wait'), align: 'right', wideOnly: true, cell: (row) => span(row.wait_ms) },
    {
      key: 'duration',
      header: t('requests.duration'),
      align: 'right',
      cell: (row) => (
        <div>
          {span(row.duration_ms)}
          {row.first_byte_ms !== null && (
            <Second>{t('requests.firstByte', { time: format.duration(row.first_byte_ms) })}</Second>
          )}
        </div>
      ),
    },
  ];
  return columns.map((column) => ({ ...column, order: columnOrder(column.key, order, choose) }));
}

function Second({ children }: { readonly children: string }) {
  return (
    <Text fz="xs" c="dimmed" lineClamp={1}>
      {children}
    </Text>
  );
}
