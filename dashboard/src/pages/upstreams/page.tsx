import { Group, Text } from '@mantine/core';
import { type Pages, usePages, useRead } from '../../api/queries.ts';
import type { Resource, UpstreamSpec } from '../../api/resource.ts';
import { useSession } from '../../api/session.ts';
import type { UpstreamHealth } from '../../api/wire.ts';
import { FileMark } from '../../components/cells.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { useFilters } from '../../components/filters.ts';
import { HealthState } from '../../components/status.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SlotMeter } from '../../components/slot-meter.tsx';
import { ViewButton } from '../../components/view-links.tsx';
import { When } from '../../components/when.tsx';
import { PlusIcon, UpstreamsIcon } from '../../icons.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { AddUpstream } from './add-upstream.tsx';
import { offerOf, useOffers } from './presets.ts';
import { bestStateOf, lastErrorOf, latencyOf } from './credential-health.ts';
import classes from './upstreams.module.css';

/** The upstreams. With `?add=` in the URL: the form for a new one. */
export default function UpstreamsPage() {
  const { t } = useText();
  const mayWrite = useSession().operator !== 'read-only';
  const [{ add }] = useFilters(['add']);
  if (add !== undefined && mayWrite) return <AddUpstream presetKey={add} />;
  return (
    <>
      <PageHeader
        withAge
        title={t('nav.upstreams')}
        description={t('upstreams.description')}
        actions={mayWrite && <AddUpstreamLink />}
      />
      <UpstreamList mayWrite={mayWrite} />
    </>
  );
}

interface UpstreamRow {
  readonly entry: Resource<UpstreamSpec>;
  readonly health: UpstreamHealth['upstreams'][number] | undefined;
}

const healthIntervalMs = 5000;

/** All upstreams with their current health. */
function UpstreamList({ mayWrite }: { readonly mayWrite: boolean }) {
  const { t } = useText();
  const entries = usePages<Resource<UpstreamSpec>>('/admin/v1/upstreams');
  const health = useRead<UpstreamHealth>('/admin/v1/upstreams/health', {}, { refetchInterval: healthIntervalMs });
  const { offers } = useOffers();
  const columns = useColumns(({ spec }) => offerOf(offers, spec)?.title ?? spec.kind);
  const rows = entries.rows?.map(
    (entry): UpstreamRow => ({ entry, health: health.data?.upstreams.find(({ name }) => name === entry.name) }),
  );
  const pages: Pages<UpstreamRow> = { ...entries, rows };
  return (
    <DataTable
      label={t('nav.upstreams')}
      columns={columns}
      pages={pages}
      rowKey={({ entry }) => entry.name}
      rowLink={({ entry }) => `/app/operator/upstreams/${encodeURIComponent(entry.name)}`}
      empty={
        <EmptyState
          icon={<UpstreamsIcon />}
          title={t('upstreams.emptyTitle')}
          text={t('upstreams.emptyText')}
          action={mayWrite && <AddUpstreamLink />}
        />
      }
    />
  );
}

function AddUpstreamLink() {
  const { t } = useText();
  return (
    <ViewButton to="/app/operator/upstreams" search={{ add: 'choose' }} leftSection={<PlusIcon size={16} />}>
      {t('upstreams.add')}
    </ViewButton>
  );
}

function useColumns(providerOf: (entry: UpstreamRow['entry']) => string): readonly Column<UpstreamRow>[] {
  const { t } = useText();
  const format = useFormat();
  return [
    {
      key: 'name',
      header: t('common.name'),
      cell: ({ entry }) => (
        <span>
          {entry.name}
          <FileMark source={entry.source} />
          <span className={classes['sub']}>{providerOf(entry)}</span>
        </span>
      ),
    },
    {
      key: 'state',
      header: t('upstreams.state'),
      cell: ({ entry, health }) => (
        <HealthState state={entry.spec.enabled === false ? 'off' : health ? bestStateOf(health.credentials) : null} />
      ),
    },
    {
      key: 'slots',
      header: t('upstreams.slots'),
      cell: ({ health }) =>
        health ? (
          <div className={classes['slots']}>
            <SlotMeter running={health.running} limit={health.limit} />
          </div>
        ) : (
          '–'
        ),
    },
    {
      key: 'waiting',
      header: t('live.waiting'),
      align: 'right',
      cell: ({ health }) => (health ? format.number(health.waiting) : '–'),
    },
    {
      key: 'latency',
      header: t('upstreams.latency'),
      align: 'right',
      cell: ({ health }) => {
        const latency = health ? latencyOf(health.credentials) : null;
        return latency === null ? '–' : format.duration(latency);
      },
    },
    {
      key: 'credentials',
      header: t('upstreams.credentials'),
      cell: ({ health }) => (
        <Group gap={6} wrap="nowrap">
          {!health && '–'}
          {health?.credentials.slice(0, 8).map(({ index, state }) => (
            <HealthState key={index} state={state} dotOnly />
          ))}
          {(health?.credentials.length ?? 0) > 8 && <Text fz="xs">+{(health?.credentials.length ?? 0) - 8}</Text>}
        </Group>
      ),
    },
    {
      key: 'error',
      header: t('upstreams.lastError'),
      wideOnly: true,
      cell: ({ health }) => {
        const failed = health && lastErrorOf(health.credentials);
        if (!failed)
          return (
            <Text fz="sm" c="dimmed">
              {t('upstreams.noError')}
            </Text>
          );
        return (
          <div>
            <When at={failed.last_error_at} />
            <span className={classes['lastError']} title={failed.last_error ?? undefined}>
              {failed.last_error}
            </span>
          </div>
        );
      },
    },
  ];
}
