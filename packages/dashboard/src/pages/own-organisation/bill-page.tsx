import { Badge, Box, Group } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useAccountChoice } from '../../api/account.tsx';
import { asPages, useRead } from '../../api/queries.ts';
import type { BillLine, OrganisationBill } from '../../api/wire.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ExportButton } from '../../components/export-button.tsx';
import { Money } from '../../components/money.tsx';
import { useMonthName } from '../../components/names.ts';
import { PageError, PageHeader } from '../../components/page-header.tsx';
import { StatCard, StatRow } from '../../components/stat-card.tsx';
import { BackLink } from '../../components/view-links.tsx';
import { usePageText } from '../../text/page-text.ts';
import { texts } from '../organisations/texts.ts';

/** The bill of one month: a line for each account. */
export default function BillPage() {
  const p = usePageText(texts);
  const monthName = useMonthName();
  const { id: month = '' } = useParams({ strict: false });
  const { organisation } = useAccountChoice();
  const path = `/account/v1/organisation/bills/${encodeURIComponent(month)}`;
  const { data: bill, error, refetch } = useRead<OrganisationBill>(path);
  const back = <BackLink to="/app/organisation">{p('backOwn')}</BackLink>;
  if (error && !bill) return <PageError back={back} title={p('bills')} read={{ error, refetch }} />;
  const columns: readonly Column<BillLine>[] = [
    { key: 'account', header: p('accounts'), phone: 'lead', cell: ({ account }) => account },
    {
      key: 'opening',
      header: p('opening'),
      align: 'right',
      wideOnly: true,
      cell: ({ opening }) => <Money amount={opening} exact />,
    },
    {
      key: 'credits',
      header: p('credits'),
      align: 'right',
      wideOnly: true,
      cell: ({ credits }) => <Money amount={credits} exact />,
    },
    {
      key: 'charges',
      header: p('charges'),
      align: 'right',
      phone: 'end',
      cell: ({ charges }) => <Money amount={charges} exact />,
    },
    {
      key: 'closing',
      header: p('closing'),
      align: 'right',
      phone: 'trail',
      cell: ({ closing }) => <Money amount={closing} exact />,
    },
  ];
  return (
    <>
      {back}
      <PageHeader
        title={
          <Group gap="xs">
            {monthName(month)}
            {bill && !bill.is_closed && <Badge color="gray">{p('stillOpen')}</Badge>}
          </Group>
        }
        description={p('billOf', { name: organisation?.name ?? '' })}
        actions={
          <ExportButton
            path={`${path}/csv`}
            query={{}}
            name={organisation ? `bill-${month}-${organisation.name}` : `bill-${month}`}
          />
        }
      />
      <StatRow>
        <StatCard label={p('charges')} value={bill && <Money amount={bill.charges} />} />
        <StatCard label={p('credits')} value={bill && <Money amount={bill.credits} />} />
        <StatCard label={p('open')} value={bill && <Money amount={bill.open_amount} />} hint={bill?.document ?? ''} />
      </StatRow>
      <Box mt="lg">
        <DataTable
          label={p('billOf', { name: organisation?.name ?? '' })}
          columns={columns}
          pages={asPages({ data: bill?.lines })}
          rowKey={({ account_id: id }) => id}
          empty={null}
        />
      </Box>
    </>
  );
}
