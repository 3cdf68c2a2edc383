import { Alert, Group, Stack, Tabs, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import type { Account, Balance } from '../../api/wire.ts';
import { refetchMs, useRead } from '../../api/queries.ts';
import { AfterReads } from '../../components/after-reads.tsx';
import { AccountState, OwnedByFile } from '../../components/cells.tsx';
import { useFilters } from '../../components/filters.ts';
import { CacheSavings, Money } from '../../components/money.tsx';
import { texts as limitTexts } from '../../components/limit-texts.ts';
import { LimitsCard } from '../../components/limit-windows.tsx';
import { accountName } from '../../components/names.ts';
import { PageError, PageHeader } from '../../components/page-header.tsx';
import { StatCard, StatRow } from '../../components/stat-card.tsx';
import { BackLink, ViewAnchor } from '../../components/view-links.tsx';
import { When } from '../../components/when.tsx';
import { WarningIcon } from '../../icons.tsx';
import { useFormat } from '../../text/format.ts';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { texts } from '../billing/document-texts.ts';
import { Documents } from '../billing/documents.tsx';
import { Ledger } from '../billing/ledger.tsx';
import { AccountActions } from './account-actions.tsx';
import { KeysTab } from './keys-tab.tsx';
import { MembersTab } from './members-tab.tsx';
import { UsageTab, useAccountUsage } from './usage-tab.tsx';

/** One account as an operator sees it. The URL contains the open tab. */
export default function AccountPage() {
  const { t } = useText();
  const { id = '' } = useParams({ strict: false });
  const read = useRead<Account>(`/admin/v1/accounts/${encodeURIComponent(id)}`, {}, { refetchInterval: refetchMs });
  const reads = [read, useBalance(id), useAccountUsage(id)];
  const { data: account, error, refetch } = read;
  // The header grows together with the sections below it.
  const shown = reads.some(({ isPending }) => isPending) ? undefined : account;
  const back = <BackLink to="/app/operator/accounts">{t('accounts.all')}</BackLink>;
  if (error && !account) return <PageError back={back} title={t('accounts.one')} read={{ error, refetch }} />;
  return (
    <>
      {back}
      <PageHeader
        withAge={shown !== undefined}
        title={shown && accountName(shown)}
        actions={shown && <AccountActions account={shown} />}
        facts={shown && <Facts account={shown} />}
      />
      <AfterReads reads={reads}>
        <Stack gap="lg">
          {account?.status === 'suspended' && (
            <Alert color="red" icon={<WarningIcon />} role="status">
              {t('accounts.suspendedNotice')}
            </Alert>
          )}
          <AccountFigures id={id} account={account} />
          <LimitsCard windows={account?.windows} />
          {account && <AccountTabs account={account} />}
        </Stack>
      </AfterReads>
    </>
  );
}

function Facts({ account }: { readonly account: Account }) {
  const { t } = useText();
  const l = usePageText(limitTexts);
  return (
    <Group gap="4px 16px" c="dimmed" mih={22}>
      <AccountState status={account.status} />
      <OwnedByFile source={account.source} />
      {account.display_name !== null && <Text fz="sm">{t('accounts.calledInCommands', { name: account.name })}</Text>}
      <Text fz="sm">
        {t('accounts.package')}: {account.package}
      </Text>
      <Text fz="sm">
        {l('billing')}: {l(account.billing)}
      </Text>
      {account.organisation_id !== null && (
        <Text fz="sm">
          {t('nav.ownOrganisation')}:{' '}
          <ViewAnchor
            to={`/app/operator/organisations/${encodeURIComponent(account.organisation_id)}`}
            inherit
            underline="always"
          >
            {account.organisation}
          </ViewAnchor>
        </Text>
      )}
      <Text fz="sm">
        {t('accounts.created')} <When at={account.created_at} as="date" />
      </Text>
    </Group>
  );
}

function AccountTabs({ account }: { readonly account: Account }) {
  const { t } = useText();
  const p = usePageText(texts);
  const [{ tab = 'usage' }, change] = useFilters(['tab', 'kind']);
  return (
    <Tabs value={tab} onChange={(chosen) => change({ tab: chosen ?? undefined, kind: undefined })} keepMounted={false}>
      <Tabs.List mb="md">
        <Tabs.Tab value="usage">{t('accounts.tabUsage')}</Tabs.Tab>
        <Tabs.Tab value="keys">{t('accounts.tabKeys')}</Tabs.Tab>
        <Tabs.Tab value="ledger">{t('accounts.tabLedger')}</Tabs.Tab>
        <Tabs.Tab value="documents">{p('documents')}</Tabs.Tab>
        <Tabs.Tab value="members">{t('accounts.tabMembers')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="usage">
        <UsageTab account={account} />
      </Tabs.Panel>
      <Tabs.Panel value="keys">
        <KeysTab account={account} />
      </Tabs.Panel>
      <Tabs.Panel value="ledger">
        <LedgerTab accountId={account.id} />
      </Tabs.Panel>
      <Tabs.Panel value="documents">
        <Documents path={`/admin/v1/accounts/${encodeURIComponent(account.id)}/documents`} />
      </Tabs.Panel>
      <Tabs.Panel value="members">
        <MembersTab accountId={account.id} />
      </Tabs.Panel>
    </Tabs>
  );
}

function useBalance(id: string) {
  const path = `/admin/v1/accounts/${encodeURIComponent(id)}/balance`;
  return useRead<Balance>(path, {}, { refetchInterval: refetchMs });
}

/** The balance of the account and its recent usage. */
function AccountFigures({ id, account }: { readonly id: string; readonly account: Account | undefined }) {
  const { t } = useText();
  const l = usePageText(limitTexts);
  const format = useFormat();
  const { data: balance } = useBalance(id);
  const { data: usage } = useAccountUsage(id);
  const totals = usage?.totals;
  const isOpen = balance?.billing === 'postpaid' && Number(balance.open_amount) > 0;
  return (
    <StatRow>
      <StatCard
        label={isOpen ? l('open') : t('accounts.balance')}
        value={balance && <Money amount={isOpen ? balance.open_amount : balance.total} />}
        hint={balance && <BalanceParts balance={balance} />}
      />
      <StatCard
        label={t('accounts.spend30')}
        value={totals && <Money amount={totals.spend} />}
        hint={totals && <CacheSavings amount={totals.cache_savings} />}
      />
      <StatCard
        label={t('accounts.requests30')}
        value={totals && format.compact(totals.requests)}
        hint={
          totals &&
          totals.requests > 0 &&
          t('accounts.errorShare', { share: format.percent(totals.errors / totals.requests) })
        }
      />
      <StatCard
        label={t('accounts.lastUsed')}
        value={account && <When at={account.last_used_at} />}
        hint={account && t('accounts.keysActive', { count: account.keys })}
      />
    </StatRow>
  );
}

function BalanceParts({ balance }: { readonly balance: Balance }) {
  const { t } = useText();
  const format = useFormat();
  const money = (amount: string) => format.money(amount, balance.currency);
  return (
    <Stack gap={0}>
      <Text inherit>
        {t('accounts.granted', { amount: money(balance.granted) })} ·{' '}
        {t('accounts.toppedUp', { amount: money(balance.topped_up) })}
      </Text>
      {Number(balance.reserved) > 0 && (
        <Text inherit>{t('accounts.reserved', { amount: money(balance.reserved) })}</Text>
      )}
    </Stack>
  );
}

/** All ledger entries of the account, as its owners see them. */
function LedgerTab({ accountId }: { readonly accountId: string }) {
  const path = `/admin/v1/accounts/${encodeURIComponent(accountId)}/ledger`;
  return <Ledger path={path} requests="/app/operator/requests" />;
}
