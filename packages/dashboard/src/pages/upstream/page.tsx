import { Alert, Button, Group, Skeleton, Stack, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { Resource, UpstreamSpec } from '../../api/resource.ts';
import type { CredentialHealth, UpstreamHealth, UpstreamTest } from '../../api/wire.ts';
import { useRead } from '../../api/queries.ts';
import { useWrite } from '../../api/write.ts';
import { useSession } from '../../api/session.ts';
import { useFilters } from '../../components/filters.ts';
import { HealthState } from '../../components/status.tsx';
import { PageError, PageHeader } from '../../components/page-header.tsx';
import { SlotMeter } from '../../components/slot-meter.tsx';
import { StatCard, StatRow } from '../../components/stat-card.tsx';
import { BackLink } from '../../components/view-links.tsx';
import { FileIcon, WarningIcon } from '../../icons.tsx';
import { useFormat } from '../../text/format.ts';
import { useText } from '../../text/text.tsx';
import { offerOf, useOffers } from '../upstreams/presets.ts';
import { bestStateOf, latencyOf } from '../upstreams/credential-health.ts';
import { Credentials } from './credentials.tsx';
import { EditUpstream } from './edit-upstream.tsx';
import { TestResult } from './test-result.tsx';
import { mayRotate, UpstreamActions } from './upstream-actions.tsx';
import { UpstreamFacts, UpstreamModels } from './upstream-facts.tsx';

/** One upstream: its health, configuration and actions. */
export default function UpstreamPage() {
  const { t } = useText();
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const path = `/admin/v1/upstreams/${encodeURIComponent(id)}`;
  const entry = useRead<Resource<UpstreamSpec>>(path);
  const [{ edit }, change] = useFilters(['edit', 'test']);
  const mayWrite = useSession().operator !== 'read-only';
  if (entry.error && !entry.data)
    return (
      <PageError
        back={<BackLink to="/app/operator/upstreams">{t('nav.upstreams')}</BackLink>}
        title={id}
        read={entry}
      />
    );
  if (!entry.data) return <Skeleton height={320} radius="lg" />;
  if (edit !== undefined && mayWrite && entry.data.source === 'store') {
    return (
      <EditUpstream
        entry={entry.data}
        onSaved={() => change({ edit: undefined, test: '1' })}
        onDone={() => change({ edit: undefined })}
      />
    );
  }
  return <Upstream key={id} entry={entry.data} onEdit={() => change({ edit: '1' }, { as: 'step' })} />;
}

interface UpstreamProps {
  readonly entry: Resource<UpstreamSpec>;
  readonly onEdit: () => void;
}

function Upstream({ entry, onEdit }: UpstreamProps) {
  const { t } = useText();
  const mayWrite = useSession().operator !== 'read-only';
  const { offers } = useOffers();
  const { name, spec, source } = entry;
  const test = useTest(name);
  const health = useRead<UpstreamHealth>('/admin/v1/upstreams/health', {}, { refetchInterval: 3000 });
  const live = health.data?.upstreams.find((upstream) => upstream.name === name);
  const [isRotating, setRotating] = useState(false);
  const preset = offerOf(offers, spec);
  return (
    <>
      <PageHeader
        withAge
        title={name}
        description={preset?.title ?? spec.kind}
        actions={
          mayWrite && (
            <Group gap="xs">
              {source === 'store' && (
                <UpstreamActions
                  entry={entry}
                  variable={preset?.environment[0] ?? 'PROVIDER_API_KEY'}
                  onEdit={onEdit}
                  onRotated={test.mutate}
                  isRotating={isRotating}
                  setRotating={setRotating}
                />
              )}
              <Button onClick={() => test.mutate()} loading={test.isPending}>
                {t('upstreams.test')}
              </Button>
            </Group>
          )
        }
      />
      <Stack gap="xl">
        {source === 'file' && (
          <Alert color="gray" icon={<FileIcon />}>
            {t('upstreams.fileNote')}
          </Alert>
        )}
        {spec.enabled === false && <Alert color="gray">{t('upstreams.disabledNote')}</Alert>}
        <TestResult
          upstream={name}
          isBusy={test.isPending}
          result={test.result}
          error={test.error}
          mayWrite={mayWrite}
        />
        {!test.isPending && test.result?.ok !== true && (
          <RejectedNotice
            credentials={live?.credentials ?? []}
            {...(mayWrite && mayRotate(entry) && { onRotate: () => setRotating(true) })}
          />
        )}
        <CurrentHealth spec={spec} here={live} isLoading={!health.data} hasFailed={test.result?.ok === false} />
        <section>
          <Title order={2} mb="md">
            {t('upstreams.credentials')}
          </Title>
          <Credentials credentials={health.data && (live?.credentials ?? [])} />
        </section>
        <UpstreamModels upstream={name} mayWrite={mayWrite} />
        <section>
          <Title order={2} mb="md">
            {t('upstreams.settings')}
          </Title>
          <UpstreamFacts entry={entry} />
        </section>
      </Stack>
    </>
  );
}

interface RejectedNoticeProps {
  readonly credentials: readonly CredentialHealth[];
  /** Missing if the user cannot replace the credential here. */
  readonly onRotate?: () => void;
}

/** The provider rejects every credential: its own words, and the button that replaces the credential. */
function RejectedNotice({ credentials, onRotate }: RejectedNoticeProps) {
  const { t } = useText();
  const [first] = credentials;
  if (!first || credentials.some(({ state }) => state !== 'disabled')) return null;
  return (
    <Alert color="red" icon={<WarningIcon />} role="alert" title={t('upstreams.stateCredentialRejected')}>
      <Stack gap="sm" align="flex-start">
        {first.last_error}
        {onRotate && <Button onClick={onRotate}>{t('upstreams.rotate')}</Button>}
      </Stack>
    </Alert>
  );
}

/**
 * Runs once automatically if the URL has `test`, for example after adding. The result stays while the operator adds its
 * models.
 */
function useTest(name: string) {
  const path = `/admin/v1/upstreams/${encodeURIComponent(name)}/test`;
  const test = useWrite<UpstreamTest>({ path, changes: ['/admin/v1/upstreams/health', '/admin/v1/live'] });
  const client = useQueryClient();
  const resultKey = ['test of an upstream', name];
  const mutate = () => test.mutate(undefined, { onSuccess: (result) => client.setQueryData(resultKey, result) });
  const [{ test: autoTest }, change] = useFilters(['test']);
  const hasBegun = useRef(false);
  useEffect(() => {
    if (autoTest === undefined || hasBegun.current) return;
    hasBegun.current = true;
    change({ test: undefined });
    mutate();
  });
  return {
    isPending: test.isPending,
    error: test.error,
    result: test.data ?? (test.error ? undefined : client.getQueryData<UpstreamTest>(resultKey)),
    mutate,
  };
}

interface CurrentHealthProps {
  readonly spec: UpstreamSpec;
  readonly here: UpstreamHealth['upstreams'][number] | undefined;
  readonly isLoading: boolean;
  /** The last test got no answer, regardless of the health of its credentials. */
  readonly hasFailed: boolean;
}

function CurrentHealth({ spec, here, isLoading, hasFailed }: CurrentHealthProps) {
  const { t } = useText();
  const format = useFormat();
  const latency = here ? latencyOf(here.credentials) : null;
  const bestState = here ? bestStateOf(here.credentials) : null;
  const shown = (value: string) => (isLoading ? undefined : value);
  return (
    <StatRow>
      <StatCard
        label={t('upstreams.state')}
        value={
          isLoading ? undefined : (
            <HealthState state={spec.enabled === false ? 'off' : hasFailed ? 'failed' : bestState} />
          )
        }
      />
      <StatCard
        label={t('upstreams.slots')}
        value={shown(here ? `${format.number(here.running)} / ${format.number(here.limit)}` : '–')}
        hint={here && <SlotMeter running={here.running} limit={here.limit} barOnly />}
      />
      <StatCard label={t('live.waiting')} value={shown(here ? format.number(here.waiting) : '–')} />
      <StatCard
        label={t('upstreams.latency')}
        value={shown(latency === null ? '–' : format.duration(latency))}
        hint={t('upstreams.latencyHelp')}
      />
    </StatRow>
  );
}
