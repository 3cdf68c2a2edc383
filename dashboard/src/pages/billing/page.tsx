import { Title } from '@mantine/core';
import { ExportButton } from '../../components/export-button.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';
import { Ledger } from './ledger.tsx';
import { useLedgerQuery } from './ledger-query.ts';
import { PayCard } from './pay-card.tsx';
import { BalanceCards } from './pockets.tsx';
import { RedeemCard } from './redeem-card.tsx';
import { Statements } from './statements.tsx';
import classes from './billing.module.css';

/** The balance of the account and its ledger. */
export default function BillingPage() {
  const { t } = useText();
  const query = useLedgerQuery();
  return (
    <>
      <PageHeader
        withAge
        title={t('nav.billing')}
        description={t('billing.description')}
        actions={<ExportButton path="/account/v1/ledger.csv" query={{ ...query }} name="ledger" />}
      />
      <BalanceCards />
      <div className={classes['ways']}>
        <PayCard />
        <RedeemCard />
      </div>
      <Statements />
      <Title order={2} mt={40} mb="sm">
        {t('billing.ledger')}
      </Title>
      <Ledger path="/account/v1/ledger" requests="/app/requests" />
    </>
  );
}
