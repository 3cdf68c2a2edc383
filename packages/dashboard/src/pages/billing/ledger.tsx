import { Badge, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { LedgerLine } from '../../api/wire.ts';
import { usePages } from '../../api/queries.ts';
import { Clip } from '../../components/clip.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ClearFilters, DateField, FilterBar } from '../../components/filter-bar.tsx';
import { useFilters } from '../../components/filters.ts';
import { actorText, kindName, lineKinds, reasonText } from '../../components/ledger-words.ts';
import { Money } from '../../components/money.tsx';
import { useTableView } from '../../components/table-view.ts';
import { ViewAnchor } from '../../components/view-links.tsx';
import { ViewMenu } from '../../components/view-menu.tsx';
import { When } from '../../components/when.tsx';
import { BillingIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { startOfDay } from '../../text/wall-clock.ts';
import { DocumentLink } from './documents.tsx';

interface LedgerProps {
  /** The API path of the entries. */
  readonly path: string;
  /** The page of requests that a charge links to. */
  readonly requests: '/app/requests' | '/app/operator/requests';
}

/** The ledger of an account, newest first, with an explanation of each entry. */
export function Ledger({ path, requests }: LedgerProps) {
  const { t } = useText();
  const query = useLedgerQuery();
  const view = useTableView('ledger');
  const pages = usePages<LedgerLine>(path, { ...query });
  const columns: readonly Column<LedgerLine>[] = [
    {
      key: 'at',
      header: t('billing.when'),
      width: 190,
      phone: 'note',
      cell: ({ at }) => <When at={at} as="date-time" />,
    },
    { key: 'kind', header: t('billing.kind'), width: 130, phone: 'state', cell: ({ kind }) => <Kind kind={kind} /> },
    {
      key: 'what',
      header: t('billing.what'),
      phone: 'lead',
      cell: (line) => <Explanation line={line} path={path} requests={requests} />,
    },
    {
      key: 'key',
      header: t('billing.key'),
      choice: 'shown',
      dropOrder: 1,
      cell: ({ key_id: id, key_name: name }) => name ?? id ?? '–',
    },
    {
      key: 'amount',
      header: t('billing.amount'),
      align: 'right',
      phone: 'trail',
      cell: ({ amount }) => <Money amount={amount} signed />,
    },
  ];
  return (
    <>
      <LedgerFilters tools={<ViewMenu view={view} columns={columns} />} />
      <DataTable
        label={t('billing.ledger')}
        columns={columns}
        view={view}
        pages={pages}
        rowKey={({ id }) => id}
        empty={<NoLines isFiltered={Object.keys(query).length > 0} />}
      />
    </>
  );
}

const colors: Readonly<Record<string, string>> = {
  top_up: 'accent',
  grant: 'accent',
  refund: 'accent',
  adjust: 'yellow',
};

function Kind({ kind }: { readonly kind: string }) {
  const { t } = useText();
  return <Badge color={colors[kind] ?? 'gray'}>{kindName(kind, t)}</Badge>;
}

/** A charge links to its request. A credit shows its author and reason, and a payment its receipt. */
function Explanation({ line, path, requests }: { readonly line: LedgerLine } & LedgerProps) {
  const { kind, reference, reason, by, document } = line;
  const { t } = useText();
  const isCharge = kind.startsWith('charge');
  if (!isCharge) {
    return (
      <Clip>
        {reasonText(reason, t)}{' '}
        <Text span fz="sm" c="dimmed">
          {document !== null && (
            <>
              <DocumentLink list={path} number={document} />
              {' · '}
            </>
          )}
          {t('billing.creditBy', { reference, by: actorText(by, t) })}
        </Text>
      </Clip>
    );
  }
  return (
    <Clip>
      <ViewAnchor to={`${requests}/${encodeURIComponent(reference)}`} ff="monospace" fz="sm">
        {reference}
      </ViewAnchor>
      {(kind !== 'charge' || reason !== 'request') && (
        <Text span fz="sm" c="dimmed" ml={8}>
          {kind === 'charge-rest' ? t('billing.correctionText') : reasonText(reason, t)}
        </Text>
      )}
    </Clip>
  );
}

function NoLines({ isFiltered }: { readonly isFiltered: boolean }) {
  const { t } = useText();
  return (
    <EmptyState
      icon={<BillingIcon size={22} />}
      title={t(isFiltered ? 'billing.noneTitle' : 'billing.emptyTitle')}
      text={t(isFiltered ? 'billing.noneText' : 'billing.emptyText')}
      action={isFiltered && <ClearFilters names={filterNames} />}
    />
  );
}

/** A kind, and the first and last day. */
function LedgerFilters({ tools }: { readonly tools: ReactNode }) {
  const { t } = useText();
  const [{ from = '', to = '' }, change] = useFilters(filterNames);
  const kinds = lineKinds.map((value) => ({ value, label: kindName(value, t) }));
  return (
    <FilterBar
      fields={[{ name: 'kind', label: t('billing.kind'), options: kinds, width: 200 }]}
      otherNames={['from', 'to']}
      tools={tools}
    >
      <Group gap="xs" wrap="nowrap">
        <DateField
          aria-label={t('billing.from')}
          title={t('billing.from')}
          value={from}
          max={to || undefined}
          onChange={(day) => change({ from: day || undefined })}
        />
        <span aria-hidden="true">–</span>
        <DateField
          aria-label={t('billing.to')}
          title={t('billing.to')}
          value={to}
          min={from || undefined}
          onChange={(day) => change({ to: day || undefined })}
        />
      </Group>
    </FilterBar>
  );
}

/** The query parameters of the ledger API. */
interface LedgerQuery {
  readonly kind?: string;
  readonly since?: string;
  readonly until?: string;
}

const filterNames = ['kind', 'from', 'to'] as const;

/** The filters in the URL: a kind, and the first and last day in the user's time zone. */
export function useLedgerQuery(): LedgerQuery {
  const { timeZone } = useText();
  const [{ kind, from, to }] = useFilters(filterNames);
  const since = startOfDay(from, 0, timeZone);
  const until = startOfDay(to, 1, timeZone);
  return {
    ...(lineKinds.some((one) => one === kind) && { kind }),
    ...(since && { since }),
    ...(until && { until }),
  };
}
