import { Anchor, Badge, Code, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useSession } from '../../api/session.ts';
import type { StoredResponses, Replica, System } from '../../api/wire.ts';
import { asPages, useRead } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { StatCard, StatRow } from '../../components/stat-card.tsx';
import { When } from '../../components/when.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { Configuration } from './configuration.tsx';
import { LedgerCheckup } from './ledger-checkup.tsx';
import { Part } from './part.tsx';
import { DeadLetterCharges } from './refused-charges.tsx';

/** The state of the gateway, polled every few seconds. */
export default function SystemPage() {
  const { t } = useText();
  const { data, error, refetch } = useRead<System>('/admin/v1/system', {}, { refetchInterval: 5000 });
  return (
    <>
      <PageHeader withAge title={t('nav.system')} description={t('system.description')} />
      <Stack gap="xl">
        <ErrorNotice error={error} onRetry={() => void refetch()} />
        <SystemFigures system={data} />
        {/* They appear together, because each has another height than its skeleton would have. */}
        {data ? (
          <>
            <DeadLetterCharges charges={data.dead_letter_charges} />
            <Replicas replicas={data.replicas} />
            <StoredResponsesPart stored={data.stored_responses} />
            <Configuration config={data.config} />
          </>
        ) : (
          !error && <Skeleton height={480} radius="lg" />
        )}
        {(data ?? error) && (
          <>
            <LedgerCheckup />
            <Support />
          </>
        )}
      </Stack>
    </>
  );
}

/** The support address for users of this gateway. */
function Support() {
  const { t } = useText();
  const { support_email: email } = useSession();
  return (
    <Part title={t('system.support')}>
      {email ? (
        <>
          <Anchor href={`mailto:${email}`}>{email}</Anchor>
          <Text fz="sm" c="dimmed">
            {t('system.supportText')}
          </Text>
        </>
      ) : (
        <Text c="dimmed">{t('system.noSupport')}</Text>
      )}
    </Part>
  );
}

const engines = { sqlite: 'SQLite', postgres: 'PostgreSQL' };

/** The four most important facts. */
function SystemFigures({ system }: { readonly system: System | undefined }) {
  const { t } = useText();
  const format = useFormat();
  const replicas = system?.replicas;
  const alive = replicas?.filter((replica) => replica.is_alive).length ?? 0;
  return (
    <StatRow>
      <StatCard
        label={t('system.version')}
        value={system?.release}
        hint={system && t('system.build', { at: readable(system.build, format.dateTime) })}
      />
      <StatCard
        label={t('system.uptime')}
        value={system && format.duration(system.process.uptime_s * 1000)}
        hint={system && t('system.since', { at: format.dateTime(system.process.started_at) })}
      />
      <StatCard
        label={t('system.replicas')}
        value={replicas?.length}
        hint={replicas && t('system.replicasAlive', { alive, count: replicas.length })}
      />
      <StatCard
        label={t('system.store')}
        value={system && engines[system.engine]}
        hint={system && t('system.schema', { version: system.schema_version })}
      />
    </StatRow>
  );
}

/** A manual build may have a name that is not a time. */
function readable(build: string, dateTime: (at: string) => string): string {
  return Number.isNaN(Date.parse(build)) ? build : dateTime(build);
}

/** The processes on this store and their last heartbeats. */
function Replicas({ replicas }: { readonly replicas: readonly Replica[] | undefined }) {
  const { t } = useText();
  const columns: readonly Column<Replica>[] = [
    {
      key: 'id',
      header: t('system.replica'),
      cell: (replica) => (
        <Group gap="xs">
          <Code>{replica.id}</Code>
          {replica.is_self && <Badge color="gray">{t('system.self')}</Badge>}
        </Group>
      ),
    },
    {
      key: 'state',
      header: t('system.state'),
      cell: (replica) => (
        <Badge color={replica.is_alive ? 'accent' : 'red'}>
          {t(replica.is_alive ? 'system.alive' : 'system.noHeartbeat')}
        </Badge>
      ),
    },
    {
      key: 'started',
      header: t('system.started'),
      align: 'right',
      cell: ({ started_at: at }) => <When at={at} as="date-time" />,
    },
    { key: 'seen', header: t('system.lastSeen'), align: 'right', cell: ({ last_seen_at: at }) => <When at={at} /> },
  ];
  return (
    <Part title={t('system.replicas')} text={t('system.replicasText')}>
      <DataTable
        label={t('system.replicas')}
        columns={columns}
        pages={asPages({ data: replicas })}
        rowKey={({ id }) => id}
        empty={null}
      />
    </Part>
  );
}

type Sum = StoredResponses['accounts'][number];

/** The number and size of stored responses. Their contents are not shown. */
function StoredResponsesPart({ stored }: { readonly stored: StoredResponses | undefined }) {
  const { t } = useText();
  const format = useFormat();
  const columns: readonly Column<Sum>[] = [
    { key: 'account', header: t('system.storedAccount'), cell: ({ account }) => account },
    {
      key: 'responses',
      header: t('system.storedCount'),
      align: 'right',
      cell: ({ responses }) => format.number(responses),
    },
    { key: 'bytes', header: t('system.storedBytes'), align: 'right', cell: ({ bytes }) => format.number(bytes) },
  ];
  const total = t('system.storedResponsesText', {
    count: format.number(stored?.responses ?? 0),
    bytes: format.number(stored?.bytes ?? 0),
  });
  return (
    <Part title={t('system.storedResponses')} text={total}>
      {stored && stored.accounts.length > 0 && (
        <DataTable
          label={t('system.storedResponses')}
          columns={columns}
          pages={asPages({ data: stored.accounts })}
          rowKey={({ account_id: id }) => id}
          empty={null}
        />
      )}
    </Part>
  );
}
