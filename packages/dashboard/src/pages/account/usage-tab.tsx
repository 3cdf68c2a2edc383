import { Anchor, Card, Group, SimpleGrid, Title } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useAccountChoice } from '../../api/account.tsx';
import type { Account, Overview } from '../../api/wire.ts';
import { asPages, refetchMs, useRead } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Money } from '../../components/money.tsx';
import { TimeChart } from '../../components/time-chart.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { startOfDays } from '../../text/wall-clock.ts';

type ModelLine = Overview['top_models'][number];

/** The account's spend per day and per model, and a link to its requests. */
export function UsageTab({ account }: { readonly account: Account }) {
  const { t } = useText();
  const format = useFormat();
  const navigate = useNavigate();
  const { viewAs } = useAccountChoice();
  const usage = useAccountUsage(account.id);
  const series = usage.data?.series;
  if (usage.error && !usage.data) return <ErrorNotice error={usage.error} onRetry={() => void usage.refetch()} />;
  const columns: readonly Column<ModelLine>[] = [
    { key: 'model', header: t('accounts.model'), cell: ({ model }) => model || t('accounts.unknownModel') },
    {
      key: 'requests',
      header: t('accounts.requests'),
      align: 'right',
      cell: ({ requests }) => format.compact(requests),
    },
    { key: 'spend', header: t('accounts.spend'), align: 'right', cell: ({ spend }) => <Money amount={spend} /> },
  ];
  const openRequests = () => {
    viewAs(account);
    void navigate({ to: '/app/requests' });
  };
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Card>
        <Title order={2} size="h3" mb="sm">
          {t('accounts.spendChart')}
        </Title>
        <TimeChart
          label={t('accounts.spendChart')}
          times={series?.map(({ at }) => at)}
          series={[{ label: t('accounts.spend'), values: series?.map(({ spend }) => Number(spend)) ?? [] }]}
          shape="bars"
          interval="day"
          unit="money"
        />
      </Card>
      <div>
        <Group justify="space-between" mb="sm">
          <Title order={2} size="h3">
            {t('accounts.topModels')}
          </Title>
          <Anchor component="button" type="button" fz="sm" onClick={openRequests}>
            {t('accounts.openRequests')}
          </Anchor>
        </Group>
        <DataTable
          label={t('accounts.topModels')}
          columns={columns}
          pages={asPages({ data: usage.data?.top_models })}
          rowKey={({ model }) => model}
          empty={<EmptyState title={t('common.noData')} text={t('accounts.noUsage')} />}
        />
      </div>
    </SimpleGrid>
  );
}

/** The last 30 days of an account, day by day in the user's time zone. */
export function useAccountUsage(id: string) {
  const { timeZone } = useText();
  const since = startOfDays(new Date().setMinutes(0, 0, 0), 30, timeZone).toISOString();
  return useRead<Overview>(
    '/admin/v1/overview',
    { account: id, interval: 'day', since },
    { refetchInterval: refetchMs },
  );
}
