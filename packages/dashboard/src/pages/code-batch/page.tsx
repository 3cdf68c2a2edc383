import { Badge, Box, Button, Skeleton, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { refetchMs, usePages, useRead } from '../../api/queries.ts';
import { useMayOperate } from '../../api/session.ts';
import { useWrite } from '../../api/write.ts';
import type { CodeBatch, RedemptionCode } from '../../api/wire.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Clip } from '../../components/clip.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Money } from '../../components/money.tsx';
import { PageError, PageHeader } from '../../components/page-header.tsx';
import { StatCard, StatRow } from '../../components/stat-card.tsx';
import { BackLink, ViewAnchor } from '../../components/view-links.tsx';
import { When } from '../../components/when.tsx';
import { useText } from '../../text/text.tsx';
import { CodeRestrictions } from '../codes/code-restrictions.tsx';

/** One batch: the value of its codes, and the accounts that redeemed them. */
export default function CodeBatchPage() {
  const { t } = useText();
  const { id = '' } = useParams({ strict: false });
  const path = `/admin/v1/code-batches/${encodeURIComponent(id)}`;
  const { data: batch, error, refetch } = useRead<CodeBatch>(path, {}, { refetchInterval: refetchMs });
  const back = <BackLink to="/app/operator/codes">{t('codes.all')}</BackLink>;
  if (error && !batch) return <PageError back={back} title={t('nav.codes')} read={{ error, refetch }} />;
  const left = batch && batch.count - batch.redeemed - batch.withdrawn;
  return (
    <>
      {back}
      <PageHeader
        withAge
        title={batch?.note}
        description={batch ? <CodeRestrictions batch={batch} /> : <Skeleton height={21} width={240} />}
        actions={Boolean(left) && <Withdraw path={path} left={left ?? 0} />}
      />
      <StatRow>
        <StatCard
          label={t('codes.worth')}
          value={batch && <Money amount={batch.amount} />}
          hint={batch && t(batch.kind === 'grant' ? 'codes.kindGrant' : 'codes.kindTopUp')}
        />
        <StatCard label={t('codes.redeemed')} value={batch?.redeemed} />
        <StatCard label={t('codes.left')} value={left} />
        <StatCard label={t('codes.withdrawn')} value={batch?.withdrawn} />
      </StatRow>
      <Codes path={`${path}/codes`} />
    </>
  );
}

const colors = { open: 'gray', redeemed: 'accent', withdrawn: 'yellow' } as const;
const states = { open: 'codes.stateOpen', redeemed: 'codes.stateRedeemed', withdrawn: 'codes.stateWithdrawn' } as const;

function Codes({ path }: { readonly path: string }) {
  const { t } = useText();
  const pages = usePages<RedemptionCode>(path);
  const columns: readonly Column<RedemptionCode>[] = [
    {
      key: 'code',
      header: t('codes.code'),
      cell: ({ display }) => (
        <Text inherit ff="monospace">
          {display}
        </Text>
      ),
    },
    {
      key: 'state',
      header: t('codes.state'),
      cell: ({ state }) => <Badge color={colors[state]}>{t(states[state])}</Badge>,
    },
    { key: 'account', header: t('codes.account'), cell: (code) => <AccountLink code={code} /> },
    { key: 'by', header: t('codes.by'), wideOnly: true, cell: ({ redeemed_by: by }) => by ?? '–' },
    {
      key: 'at',
      header: t('codes.when'),
      cell: ({ redeemed_at: at }) => <When at={at} otherwise="–" />,
    },
  ];
  return (
    <Box mt="lg">
      <DataTable label={t('nav.codes')} columns={columns} pages={pages} rowKey={({ id }) => id} empty={null} />
    </Box>
  );
}

function AccountLink({ code: { account_id: id, account_name: name } }: { readonly code: RedemptionCode }) {
  if (id === null) return '–';
  return (
    <Clip>
      <ViewAnchor inherit to={`/app/operator/accounts/${encodeURIComponent(id)}`}>
        {name ?? id}
      </ViewAnchor>
    </Clip>
  );
}

/** Withdraws the codes that are not redeemed yet. */
function Withdraw({ path, left }: { readonly path: string; readonly left: number }) {
  const { t } = useText();
  const mayOperate = useMayOperate();
  const [isConfirming, setConfirming] = useState(false);
  const withdraw = useWrite<CodeBatch>({ path: `${path}/withdraw`, changes: ['/admin/v1/code-batches'] });
  if (!mayOperate) return null;
  return (
    <>
      <Button variant="default" onClick={() => setConfirming(true)}>
        {t('codes.withdraw')}
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        title={t('codes.withdrawTitle', { count: left })}
        text={t('codes.withdrawText')}
        action={t('codes.withdraw')}
        write={withdraw}
        onClose={() => setConfirming(false)}
      />
    </>
  );
}
