import { Badge, Group, Title } from '@mantine/core';
import { asPages, useRead } from '../../api/queries.ts';
import type { Statements as Months, StatementSummary } from '../../api/wire.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Money } from '../../components/money.tsx';
import { useMonthName } from '../../components/names.ts';
import { useText } from '../../text/text.tsx';

/** The monthly statements of the account. Renders nothing before the first ledger entry. */
export function Statements() {
  const { t } = useText();
  const monthName = useMonthName();
  const read = useRead<Months>('/account/v1/statements');
  const columns: readonly Column<StatementSummary>[] = [
    {
      key: 'month',
      header: t('billing.month'),
      cell: ({ month, is_closed: isClosed }) => (
        <Group gap="xs">
          {monthName(month)}
          {!isClosed && <Badge color="gray">{t('billing.stillOpen')}</Badge>}
        </Group>
      ),
    },
    {
      key: 'opening',
      header: t('billing.opening'),
      align: 'right',
      wideOnly: true,
      cell: (each) => <Money amount={each.opening} />,
    },
    { key: 'charges', header: t('billing.charges'), align: 'right', cell: (each) => <Money amount={each.charges} /> },
    { key: 'closing', header: t('billing.closing'), align: 'right', cell: (each) => <Money amount={each.closing} /> },
  ];
  if (read.data?.data.length === 0) return null;
  return (
    <>
      <Title order={2} mt={40} mb="sm">
        {t('billing.statements')}
      </Title>
      <DataTable
        label={t('billing.statements')}
        columns={columns}
        pages={asPages({ ...read, data: read.data?.data })}
        rowKey={({ month }) => month}
        rowLink={({ month }) => `/app/billing/${month}`}
        empty={null}
      />
    </>
  );
}
