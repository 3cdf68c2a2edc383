import { Link } from '@tanstack/react-router';
import type { Request, RequestPage } from '../../api/wire.ts';
import { Clip } from '../../components/clip.tsx';
import type { Column } from '../../components/data-table.tsx';
import { Money } from '../../components/money.tsx';
import { When } from '../../components/when.tsx';
import { type Format, tokenFlow, useFormat } from '../../text/format.ts';
import { type Translate, useText } from '../../text/text.tsx';
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
  const columns: readonly Column<ListedRequest>[] = [
    {
      key: 'time',
      header: t('requests.time'),
      minWidth: 84,
      phone: 'note',
      cell: (row) => <When at={row.started_at} />,
    },
    {
      key: 'model',
      header: t('requests.model'),
      minWidth: 130,
      phone: 'lead',
      cell: ({ model, requested_model: requested }) => model ?? requested,
    },
    ...(isOperator ? operatorColumns(t) : []),
    {
      key: 'key',
      header: t('requests.key'),
      minWidth: 90,
      choice: 'shown',
      dropOrder: 3,
      cell: (row) => row.key_name ?? row.key_id,
    },
    { key: 'user', header: t('requests.userId'), choice: 'hidden', dropOrder: 5, cell: (row) => row.user_id ?? '–' },
    {
      key: 'status',
      header: t('requests.status'),
      phone: 'state',
      cell: (row) => <StatusBadge status={row.status} errorCase={row.error_case} />,
    },
    ...figureColumns(t, format),
  ];
  return columns.map((column) => ({ ...column, order: columnOrder(column.key, order, choose) }));
}

function operatorColumns(t: Translate): readonly Column<ListedRequest>[] {
  return [
    {
      key: 'account',
      header: t('requests.account'),
      minWidth: 90,
      choice: 'shown',
      dropOrder: 2,
      cell: (row) => (
        <Clip>
          <Link to="/app/operator/accounts/$id" params={{ id: row.account_id }} className={classes['account']}>
            {row.account_name ?? row.account_id}
          </Link>
        </Clip>
      ),
    },
    {
      key: 'upstream',
      header: t('requests.upstream'),
      minWidth: 80,
      choice: 'shown',
      dropOrder: 4,
      cell: (row) => row.upstream ?? '–',
    },
  ];
}

/** Tokens, money and times. */
function figureColumns(t: Translate, format: Format): readonly Column<ListedRequest>[] {
  const number = (value: number | null) => (value === null ? '–' : format.number(value));
  const span = (ms: number | null) => (ms === null ? '–' : format.duration(ms));
  return [
    {
      key: 'tokens',
      header: t('requests.tokens'),
      align: 'right',
      choice: 'shown',
      cell: ({ prompt_tokens: prompt, completion_tokens: completion }) => (
        <span title={t('requests.tokensHint', { prompt: number(prompt), completion: number(completion) })}>
          {tokenFlow(prompt, completion, format.compact)}
        </span>
      ),
    },
    {
      key: 'cost',
      header: t('requests.cost'),
      align: 'right',
      choice: 'shown',
      phone: 'trail',
      cell: (row) => <Money amount={row.cost} />,
    },
    {
      key: 'wait',
      header: t('requests.wait'),
      align: 'right',
      choice: 'shown',
      cell: (row) => span(row.wait_ms),
    },
    {
      key: 'first-byte',
      header: t('requests.firstByte'),
      align: 'right',
      choice: 'hidden',
      dropOrder: 6,
      cell: (row) => span(row.first_byte_ms),
    },
    {
      key: 'duration',
      header: t('requests.duration'),
      align: 'right',
      choice: 'shown',
      phone: 'end',
      cell: (row) => span(row.duration_ms),
    },
  ];
}
