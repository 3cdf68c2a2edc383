import { Anchor, Button, Group, Text, Title } from '@mantine/core';
import { Link, useParams } from '@tanstack/react-router';
import { useAccount } from '../../api/account.tsx';
import { usePages, useRead } from '../../api/queries.ts';
import { useSite } from '../../api/session.ts';
import type { Statement, StatementLine } from '../../api/wire.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ExportButton } from '../../components/export-button.tsx';
import { kindName, reasonText } from '../../components/ledger-words.ts';
import { texts as limitTexts } from '../../components/limit-texts.ts';
import { Money } from '../../components/money.tsx';
import { useMonthName } from '../../components/names.ts';
import { PageError, PageHeader } from '../../components/page-header.tsx';
import { FileIcon } from '../../icons.tsx';
import { formatOf } from '../../text/format.ts';
import { localeOf } from '../../text/language.ts';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { Parties } from '../billing/billing-details.tsx';
import { DownloadDocument } from '../billing/documents.tsx';
import classes from './statement.module.css';

/** The statement of one month, for viewing, printing and downloading. */
export default function StatementPage() {
  const { t } = useText();
  const monthName = useMonthName();
  const { id: month = '' } = useParams({ strict: false });
  const { name } = useAccount();
  const { site } = useSite();
  const path = `/account/v1/statements/${encodeURIComponent(month)}`;
  const { data: statement, error, refetch } = useRead<Statement>(path);
  const back = (
    <Anchor component={Link} to="/app/billing" fz="sm" className={`${classes['back']} ${classes['screenOnly']}`}>
      ← {t('nav.billing')}
    </Anchor>
  );
  if (error && !statement) return <PageError back={back} title={t('billing.statement')} read={{ error, refetch }} />;
  return (
    <>
      {back}
      <PageHeader
        title={monthName(month)}
        description={t('billing.statementOf', { account: name, gateway: site.title })}
        actions={
          <Group gap="xs" className={classes['screenOnly'] ?? ''}>
            {statement?.document && <DownloadDocument list={path} number={statement.document} />}
            <ExportButton path={`${path}/csv`} query={{}} name={`statement-${month}`} />
            <Button variant="default" leftSection={<FileIcon size={16} />} onClick={() => globalThis.print()}>
              {t('billing.print')}
            </Button>
          </Group>
        }
      />
      {statement && (
        <div className={classes['parties']}>
          <Parties seller={statement.seller} customer={statement.customer} />
        </div>
      )}
      {statement && <Sums statement={statement} />}
      {statement && <Span statement={statement} />}
      {statement && <Lines path={`${path}/lines`} zone={statement.time_zone} />}
    </>
  );
}

/** The period of the statement, in the account's time zone, not the user's. */
function Span({ statement }: { readonly statement: Statement }) {
  const { t, language } = useText();
  const { starts_at: from, ends_at: to, time_zone: zone, is_closed: isClosed } = statement;
  const { dateTime } = formatOf(localeOf(language), zone);
  return (
    <Text fz="sm" c="dimmed" mt="sm">
      {t(isClosed ? 'billing.closedText' : 'billing.openText', { from: dateTime(from), to: dateTime(to), zone })}
    </Text>
  );
}

/** In the same time zone as the month, so that no row seems to be in the wrong month. */
function Lines({ path, zone }: { readonly path: string; readonly zone: string }) {
  const { t, language } = useText();
  const { dateTime } = formatOf(localeOf(language), zone);
  const pages = usePages<StatementLine>(path, { limit: 200 });
  const columns: readonly Column<StatementLine>[] = [
    { key: 'at', header: t('billing.when'), cell: ({ at }) => <time dateTime={at}>{dateTime(at)}</time> },
    { key: 'kind', header: t('billing.kind'), cell: (line) => <Kind line={line} /> },
    {
      key: 'what',
      header: t('billing.what'),
      wideOnly: true,
      cell: ({ kind, reference, reason }) => (kind.startsWith('charge') ? reference : reasonText(reason, t)),
    },
    {
      key: 'key',
      header: t('billing.key'),
      wideOnly: true,
      cell: ({ key_id: id, key_name: name }) => name ?? id ?? '–',
    },
    {
      key: 'amount',
      header: t('billing.amount'),
      align: 'right',
      cell: ({ amount }) => <Money amount={amount} signed />,
    },
    {
      key: 'balance',
      header: t('billing.total'),
      align: 'right',
      cell: ({ balance }) => <Money amount={balance} exact />,
    },
  ];
  return (
    <>
      <Title order={2} mt={32} mb="sm">
        {t('billing.transactions')}
      </Title>
      {pages.hasMore && (
        <Text fz="sm" mb="sm" className={classes['printOnly'] ?? ''}>
          {t('billing.printedPart', { count: pages.rows?.length ?? 0 })}
        </Text>
      )}
      <DataTable
        label={t('billing.transactions')}
        columns={columns}
        pages={pages}
        rowKey={({ id }) => id}
        empty={
          <Text c="dimmed" p="md">
            {t('billing.noTransactions')}
          </Text>
        }
      />
    </>
  );
}

/** The kind of an entry. A charge also shows the price factor of its package, unless that is 1. */
function Kind({ line: { kind, price_factor: factor } }: { readonly line: StatementLine }) {
  const { t } = useText();
  return (
    <div>
      {kindName(kind, t)}
      {factor !== null && Number(factor) !== 1 && (
        <Text fz="xs" c="dimmed" className={classes['factor']}>
          {t('packages.factor')} × {factor}
        </Text>
      )}
    </div>
  );
}

/** From the opening to the closing balance: one row per step, charges by model. */
function Sums({ statement }: { readonly statement: Statement }) {
  const { t } = useText();
  const l = usePageText(limitTexts);
  const credits = [
    ['top_ups', t('billing.kind_top_up')],
    ['grants', t('billing.kind_grant')],
    ['refunds', t('billing.kind_refund')],
    ['adjustments', t('billing.kind_adjust')],
    ['reversals', t('billing.kind_reversal')],
  ] as const;
  const moved = credits.filter(([name]) => Number(statement[name]) !== 0);
  return (
    <table className={classes['sums']} aria-label={t('billing.summary')}>
      <tbody>
        <Row label={t('billing.opening')} amount={statement.opening} isEdge />
        {moved.map(([name, label]) => (
          <Row key={name} label={label} amount={statement[name]} />
        ))}
        <Row label={t('billing.charges')} amount={statement.charges} />
        {statement.models.map(({ model, amount }) => (
          <Row key={model ?? ''} label={model ?? t('billing.otherCharges')} amount={amount} isModel />
        ))}
        <Row label={t(statement.is_closed ? 'billing.closing' : 'billing.soFar')} amount={statement.closing} isEdge />
        {Number(statement.open_amount) > 0 && <Row label={l('open')} amount={statement.open_amount} isEdge />}
      </tbody>
    </table>
  );
}

interface RowProps {
  readonly label: string;
  readonly amount: string;
  readonly isEdge?: boolean;
  readonly isModel?: boolean;
}

function Row({ label, amount, isEdge = false, isModel = false }: RowProps) {
  const look = isEdge ? classes['edge'] : isModel ? classes['model'] : undefined;
  return (
    <tr className={look}>
      <th scope="row">{label}</th>
      <td>
        <Money amount={amount} signed={!isEdge} exact />
      </td>
    </tr>
  );
}
