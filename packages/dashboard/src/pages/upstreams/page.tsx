import { Group, Text } from '@mantine/core';
import { type Pages, usePages, useRead } from '../../api/queries.ts';
import type { Resource, UpstreamSpec } from '../../api/resource.ts';
import { useSession } from '../../api/session.ts';
import type { UpstreamHealth } from '../../api/wire.ts';
import { FileMark, NamedCell } from '../../components/cells.tsx';
import { Clip } from '../../components/clip.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { useFilters } from '../../components/filters.ts';
import { HealthState } from '../../components/status.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SlotMeter } from '../../components/slot-meter.tsx';
import { texts as tableTexts } from '../../components/table-texts.ts';
import { useTableView } from '../../components/table-view.ts';
import { ViewButton } from '../../components/view-links.tsx';
import { ViewMenu } from '../../components/view-menu.tsx';
import { When } from '../../components/when.tsx';
import { PlusIcon, UpstreamsIcon } from '../../icons.tsx';
import { useFormat } from '../../text/format.ts';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { AddUpstream } from './add-upstream.tsx';
import { offerOf, useOffers } from './presets.ts';
import { bestStateOf, lastErrorOf, latencyOf } from './credential-health.ts';
import classes from './upstreams.module.css';

/** The upstreams. With `?add=` in the URL: the form for a new one. */
export default function UpstreamsPage() {
  const mayWrite = useSession().operator !== 'read-only';
  const [{ add }] = useFilters(['add']);
  if (add !== undefined && mayWrite) return <AddUpstream presetKey={add} />;
  return <UpstreamList mayWrite={mayWrite} />;
}

interface UpstreamRow {
  readonly entry: Resource<UpstreamSpec>;
  readonly health: UpstreamHealth['upstreams'][number] | undefined;
}

const healthIntervalMs = 5000;

const command = 'chat-gateway upstreams add --preset openai --api-key -';

/** All upstreams with their current health. */
function UpstreamList({ mayWrite }: { readonly mayWrite: boolean }) {
  const { t } = useText();
  const entries = usePages<Resource<UpstreamSpec>>('/admin/v1/upstreams');
  const health = useRead<UpstreamHealth>('/admin/v1/upstreams/health', {}, { refetchInterval: healthIntervalMs });
  const { offers } = useOffers();
  const view = useTableView('upstreams');
  const terminal = usePageText(tableTexts)('terminal');
  const columns = useColumns(({ spec }) => offerOf(offers, spec)?.title ?? spec.kind);
  const rows = entries.rows?.map(
    (entry): UpstreamRow => ({ entry, health: health.data?.upstreams.find(({ name }) => name === entry.name) }),
  );
  const pages: Pages<UpstreamRow> = { ...entries, rows };
  return (
    <>
      <PageHeader
        withAge
        title={t('nav.upstreams')}
        description={t('upstreams.description')}
        actions={
          <>
            <ViewMenu view={view} columns={columns} />
            {mayWrite && rows?.length !== 0 && <AddUpstreamLink />}
          </>
        }
      />
      <DataTable
        label={t('nav.upstreams')}
        columns={columns}
        view={view}
        pages={pages}
        rowKey={({ entry }) => entry.name}
        rowLink={({ entry }) => `/app/operator/upstreams/${encodeURIComponent(entry.name)}`}
        empty={
          <EmptyState
            icon={<UpstreamsIcon />}
            title={t('upstreams.emptyTitle')}
            text={t('upstreams.emptyText')}
            action={mayWrite && <AddUpstreamLink />}
            code={<CodeBlock snippets={[{ name: terminal, code: command }]} />}
          />
        }
      />
    </>
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
      phone: 'lead',
      cell: ({ entry }) => (
        <NamedCell name={entry.name}>
          <FileMark source={entry.source} />
        </NamedCell>
      ),
    },
    {
      key: 'provider',
      header: t('request.provider'),
      choice: 'shown',
      dropOrder: 4,
      cell: ({ entry }) => providerOf(entry),
    },
    {
      key: 'state',
      header: t('upstreams.state'),
      phone: 'state',
      cell: ({ entry, health }) => (
        <HealthState state={entry.spec.enabled === false ? 'off' : health ? bestStateOf(health.credentials) : null} />
      ),
    },
    {
      key: 'slots',
      header: t('upstreams.slots'),
      choice: 'shown',
      phone: 'trail',
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
      choice: 'shown',
      cell: ({ health }) => (health ? format.number(health.waiting) : '–'),
    },
    {
      key: 'latency',
      header: t('upstreams.latency'),
      align: 'right',
      choice: 'shown',
      phone: 'end',
      cell: ({ health }) => {
        const latency = health ? latencyOf(health.credentials) : null;
        return latency === null ? '–' : format.duration(latency);
      },
    },
    {
      key: 'credentials',
      header: t('upstreams.credentials'),
      choice: 'shown',
      dropOrder: 2,
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
      choice: 'shown',
      dropOrder: 3,
      cell: ({ health }) => {
        const failed = health && lastErrorOf(health.credentials);
        if (!failed)
          return (
            <Text inherit c="dimmed">
              {t('upstreams.noError')}
            </Text>
          );
        return (
          <Clip>
            <When at={failed.last_error_at} />{' '}
            <Text span fz="sm" c="dimmed">
              {failed.last_error}
            </Text>
          </Clip>
        );
      },
    },
  ];
}
