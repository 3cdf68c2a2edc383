import { Text } from '@mantine/core';
import type { LedgerLine } from '../../api/wire.ts';
import { usePages } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FilterBar } from '../../components/filter-bar.tsx';
import { useFilters } from '../../components/filters.ts';
import { Money } from '../../components/money.tsx';
import { When } from '../../components/when.tsx';
import { BillingIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { kindName, ledgerKinds } from './kind-name.ts';

/** Every movement of the account's money, newest first. */
export function LedgerTab({ accountId }: { readonly accountId: string }) {
  const { t } = useText();
  const [{ kind }] = useFilters(['kind']);
  const pages = usePages<LedgerLine>(`/admin/v1/accounts/${encodeURIComponent(accountId)}/ledger`, { kind });
  const columns: readonly Column<LedgerLine>[] = [
    { key: 'at', header: t('accounts.when'), cell: ({ at }) => <When at={at} as="date-time" /> },
    { key: 'kind', header: t('accounts.kind'), cell: (line) => kindName(line.kind, t) },
    {
      key: 'reason',
      header: t('accounts.reason'),
      cell: ({ reason, reference }) => (
        <div>
          {reason && <Text fz="sm">{reason}</Text>}
          <Text fz="xs" c="dimmed" ff="monospace">
            {reference}
          </Text>
        </div>
      ),
    },
    { key: 'by', header: t('accounts.by'), cell: ({ by }) => by, wideOnly: true },
    {
      key: 'amount',
      header: t('accounts.moved'),
      align: 'right',
      cell: ({ amount }) => <Money amount={amount} signed />,
    },
  ];
  return (
    <>
      <FilterBar
        fields={[
          {
            name: 'kind',
            label: t('accounts.kind'),
            options: ledgerKinds.map((value) => ({ value, label: kindName(value, t) })),
          },
        ]}
      />
      <DataTable
        label={t('accounts.tabLedger')}
        columns={columns}
        pages={pages}
        rowKey={({ id }) => id}
        empty={<EmptyState icon={<BillingIcon />} title={t('accounts.noLedger')} text={t('accounts.noLedgerText')} />}
      />
    </>
  );
}
