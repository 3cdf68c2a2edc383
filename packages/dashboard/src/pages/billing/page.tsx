import { Anchor, Badge, Box, Group, Text, Title } from '@mantine/core';
import { useAccount } from '../../api/account.tsx';
import { useOwnAccount } from '../../api/own-account.ts';
import { asPages, refetchMs, useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import type { Balance, Statements as Months, Payments, StatementSummary } from '../../api/wire.ts';
import { AfterReads } from '../../components/after-reads.tsx';
import { shownParts } from '../../components/balance-parts.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { ExportButton } from '../../components/export-button.tsx';
import { texts as limitTexts } from '../../components/limit-texts.ts';
import { LimitsCard } from '../../components/limit-windows.tsx';
import { Money } from '../../components/money.tsx';
import { useMonthName } from '../../components/names.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { StatCard, StatRow } from '../../components/stat-card.tsx';
import { usePageText } from '../../text/page-text.ts';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { autoTopUpPath } from './auto-top-up.tsx';
import { BillingDetailsCard } from './billing-details.tsx';
import { OwnDocuments } from './documents.tsx';
import { Ledger, useLedgerQuery } from './ledger.tsx';
import { PayCard, RedeemCard } from './pay-card.tsx';
import { SavedCard } from './saved-card.tsx';
import classes from './billing.module.css';

/** The balance of the account and its ledger. */
export default function BillingPage() {
  const { t } = useText();
  const query = useLedgerQuery();
  const reads = [useRead('/account/v1/payments'), useRead(autoTopUpPath), useRead('/account/v1/statements')];
  return (
    <>
      <PageHeader
        withAge
        title={t('nav.billing')}
        description={t('billing.description')}
        actions={<ExportButton path="/account/v1/ledger.csv" query={{ ...query }} name="ledger" />}
      />
      <BalanceCards />
      <AfterReads reads={reads}>
        <LimitsOfAccount />
        <div className={classes['ways']}>
          <PayCard />
          <RedeemCard />
          <div className={classes['whole']}>
            <SavedCard />
          </div>
        </div>
        <Statements />
        <OwnDocuments />
        <div className={classes['ways']}>
          <BillingDetailsCard />
        </div>
        <Title order={2} mt={40} mb="sm">
          {t('billing.ledger')}
        </Title>
        <Ledger path="/account/v1/ledger" requests="/app/requests" />
      </AfterReads>
    </>
  );
}

/** The balance, and its spendable and reserved parts. */
function BalanceCards() {
  const { t } = useText();
  const format = useFormat();
  const { data, error, refetch } = useRead<Balance>('/account/v1/balance', {}, { refetchInterval: refetchMs });
  const shown = data && shownParts(data);
  const amount = (part: 'total' | 'spendable' | 'reserved') =>
    data && shown && <span title={`${data[part]} ${data.currency}`}>{format.money(shown[part], data.currency)}</span>;
  const partsOf = ({ granted, topped_up: toppedUp, currency }: Balance) =>
    t('billing.parts', { granted: format.money(granted, currency), toppedUp: format.money(toppedUp, currency) });
  if (error && !data) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data?.billing === 'postpaid') return <PostpaidCards balance={data} />;
  return (
    <>
      <StatRow>
        <StatCard label={t('billing.total')} value={amount('total')} hint={data && partsOf(data)} />
        <StatCard label={t('billing.spendable')} value={amount('spendable')} hint={t('billing.spendableHint')} />
        <StatCard label={t('billing.reserved')} value={amount('reserved')} hint={t('billing.reservedHint')} />
      </StatRow>
      <Text c="dimmed" fz="sm" mt="sm">
        <TopUp />
      </Text>
    </>
  );
}

/** What a postpaid account owes. A credit balance is money that was paid ahead. */
function PostpaidCards({ balance }: { readonly balance: Balance }) {
  const l = usePageText(limitTexts);
  const { t } = useText();
  const { currency, total, reserved, open_amount: open } = balance;
  const isOpen = Number(open) > 0;
  return (
    <>
      <StatRow>
        <StatCard
          label={l('open')}
          value={<Money amount={open} currency={currency} />}
          hint={l(isOpen ? 'openHint' : 'openNone')}
        />
        {Number(total) > 0 && <StatCard label={l('credit')} value={<Money amount={total} currency={currency} />} />}
        <StatCard
          label={t('billing.reserved')}
          value={<Money amount={reserved} currency={currency} />}
          hint={t('billing.reservedHint')}
        />
      </StatRow>
      <Text c="dimmed" fz="sm" mt="sm">
        {l('postpaidText')} {l('postpaidLimits')}
      </Text>
    </>
  );
}

function LimitsOfAccount() {
  const own = useOwnAccount();
  if (!own || own.windows.length === 0) return null;
  return (
    <Box my="lg">
      <LimitsCard windows={own.windows} />
    </Box>
  );
}

/** How to top up: on the payment page if payments are offered, otherwise by asking the operator. */
function TopUp() {
  const { t } = useText();
  const { mayWrite } = useAccount();
  const { support_email: email } = useSession();
  const isOffered = useRead<Payments>('/account/v1/payments').data?.is_offered ?? false;
  if (isOffered) return <>{t(mayWrite ? 'billing.topUpPay' : 'billing.topUpMembers')}</>;
  if (!email) return <>{t('billing.topUpAsk')}</>;
  return (
    <>
      {t('billing.topUpText')}{' '}
      <Anchor href={`mailto:${email}`} inherit underline="always">
        {email}
      </Anchor>
    </>
  );
}

/** The monthly statements of the account. Renders nothing before the first ledger entry. */
function Statements() {
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
