import { Badge, Button, Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Account, Organisation, OrganisationBill } from '../../api/wire.ts';
import { asPages, type Page, type Pages, useRead } from '../../api/queries.ts';
import { NamedCell } from '../../components/cells.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { useDownload } from '../../components/export-button.tsx';
import { texts as limitTexts } from '../../components/limit-texts.ts';
import { Money } from '../../components/money.tsx';
import { useMonthName } from '../../components/names.ts';
import { StatCard, StatRow } from '../../components/stat-card.tsx';
import { AccountsIcon, BillingIcon } from '../../icons.tsx';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { texts } from '../organisations/texts.ts';

/** The figures of an organisation. */
export function OrganisationFigures({ organisation }: { readonly organisation: Organisation | undefined }) {
  const p = usePageText(texts);
  return (
    <StatRow>
      <StatCard label={p('accounts')} value={organisation?.accounts} />
      <StatCard label={p('spend')} value={organisation && <Money amount={organisation.recent_spend} />} />
      <StatCard label={p('open')} value={organisation && <Money amount={organisation.open_amount} />} />
    </StatRow>
  );
}

interface SectionProps {
  readonly title: string;
  /** Opposite the title. */
  readonly action?: ReactNode;
  readonly children: ReactNode;
}

/** A part of the page of an organisation, with its title. */
export function Section({ title, action, children }: SectionProps) {
  return (
    <section>
      <Group justify="space-between" mb="sm">
        <Title order={2}>{title}</Title>
        {action}
      </Group>
      {children}
    </section>
  );
}

interface AccountTableProps {
  readonly pages: Pages<Account>;
  readonly rowLink?: (account: Account) => string;
  /** The last column. */
  readonly action?: Column<Account>;
}

/** The accounts of an organisation. */
export function AccountTable({ pages, rowLink, action }: AccountTableProps) {
  const { t } = useText();
  const p = usePageText(texts);
  const l = usePageText(limitTexts);
  const columns: readonly Column<Account>[] = [
    {
      key: 'name',
      header: t('common.name'),
      phone: 'lead',
      cell: ({ name, display_name: shown }) => (
        <NamedCell name={shown ?? name} more={shown === null ? undefined : name} />
      ),
    },
    {
      key: 'billing',
      header: l('billing'),
      phone: 'state',
      cell: ({ billing }) => <Badge color="gray">{l(billing)}</Badge>,
    },
    {
      key: 'spend',
      header: p('spend'),
      align: 'right',
      phone: 'end',
      cell: ({ recent_spend: spend }) => <Money amount={spend} />,
    },
    {
      key: 'balance',
      header: p('balance'),
      align: 'right',
      phone: 'trail',
      cell: ({ balance }) => <Money amount={balance} />,
    },
    ...(action ? [action] : []),
  ];
  return (
    <DataTable
      label={p('accounts')}
      columns={columns}
      pages={pages}
      rowKey={({ id }) => id}
      {...(rowLink && { rowLink })}
      empty={<EmptyState icon={<AccountsIcon />} title={p('noAccounts')} text={p('noAccountsText')} />}
    />
  );
}

interface BillTableProps {
  /** The API path of the bills. */
  readonly path: string;
  /** The page of a bill, if there is one. */
  readonly linkTo?: (month: string) => string;
}

/** The monthly bills of an organisation, newest first. */
export function BillTable({ path, linkTo }: BillTableProps) {
  const { t, language } = useText();
  const p = usePageText(texts);
  const monthName = useMonthName();
  const { isBusy, save } = useDownload();
  const read = useRead<Page<OrganisationBill>>(path);
  const columns: readonly Column<OrganisationBill>[] = [
    {
      key: 'month',
      header: p('month'),
      phone: 'lead',
      cell: ({ month, is_closed: isClosed }) => (
        <Group gap="xs">
          {monthName(month)}
          {!isClosed && <Badge color="gray">{p('stillOpen')}</Badge>}
        </Group>
      ),
    },
    { key: 'accounts', header: p('accounts'), align: 'right', cell: ({ lines }) => lines.length },
    {
      key: 'charges',
      header: p('charges'),
      align: 'right',
      phone: 'end',
      cell: ({ charges }) => <Money amount={charges} />,
    },
    {
      key: 'open',
      header: p('open'),
      align: 'right',
      phone: 'trail',
      cell: ({ open_amount: open }) => <Money amount={open} />,
    },
    {
      key: 'file',
      header: t('common.actions'),
      align: 'right',
      phone: 'menu',
      cell: ({ month, document: number }) =>
        number !== null && (
          <Button
            variant="default"
            size="compact-sm"
            loading={isBusy}
            aria-label={p('downloadPdf', { month: monthName(month) })}
            onClick={() => void save(pdfPath(path, { month, number }), { language }, `${number}.pdf`)}
          >
            {p('pdf')}
          </Button>
        ),
    },
  ];
  return (
    <DataTable
      label={p('bills')}
      columns={columns}
      pages={asPages({ ...read, data: read.data?.data })}
      rowKey={({ month }) => month}
      {...(linkTo && { rowLink: ({ month }: OrganisationBill) => linkTo(month) })}
      empty={<EmptyState icon={<BillingIcon />} title={p('noBills')} text={p('noBillsText')} />}
    />
  );
}

function pdfPath(path: string, { month, number }: { readonly month: string; readonly number: string }): string {
  return path.startsWith('/account/')
    ? `${path}/${month}/pdf`
    : `/admin/v1/documents/${encodeURIComponent(number)}/pdf`;
}
