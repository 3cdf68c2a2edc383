import { Button, Group, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccountChoice } from '../../api/account.tsx';
import { useRead } from '../../api/queries.ts';
import { useMayOperate } from '../../api/session.ts';
import { useWrite } from '../../api/write.ts';
import { sizeText } from '../../components/body-terms.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { CopyButton } from '../../components/copy-field.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useDownload } from '../../components/export-button.tsx';
import { FactList } from '../../components/fact-list.tsx';
import { Money } from '../../components/money.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { StatCard, StatRow } from '../../components/stat-card.tsx';
import { BackLink } from '../../components/view-links.tsx';
import { When } from '../../components/when.tsx';
import { FileIcon, SearchIcon } from '../../icons.tsx';
import { useFormat } from '../../text/format.ts';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { BatchProgress, BatchState } from '../batches/progress.tsx';
import { allBatches, batchPath, type Detail, ownBatches, runningMs, type Scope } from '../batches/scope.ts';
import { texts } from '../batches/texts.ts';

export default function BatchPage() {
  return <BatchView scope={ownBatches} />;
}

export function OperatorPage() {
  return <BatchView scope={allBatches} />;
}

/** One batch: counts, cost, problems, results. It refreshes while the batch runs. */
function BatchView({ scope }: { readonly scope: Scope }) {
  const { t } = useText();
  const p = usePageText(texts);
  const { id = '' }: { readonly id?: string } = useParams({ strict: false });
  const path = batchPath(scope.api, id);
  const { data, error, refetch } = useRead<Detail>(
    path,
    {},
    { refetchInterval: ({ state }) => (state.data && state.data.ended_at !== null ? false : runningMs) },
  );
  return (
    <>
      <BackLink to={scope.app} c="dimmed">
        {p('all')}
      </BackLink>
      <PageHeader
        withAge
        title={t(scope.isOperator ? 'nav.anyBatch' : 'nav.batch')}
        description={
          <Group gap={4} wrap="nowrap">
            <Text ff="monospace" style={{ overflowWrap: 'anywhere' }}>
              {data?.id ?? id}
            </Text>
            <CopyButton text={data?.id ?? id} />
          </Group>
        }
        actions={data && <Cancel batch={data} scope={scope} path={path} />}
      />
      {data ? (
        <BatchDetails batch={data} scope={scope} path={path} />
      ) : error?.status === 404 ? (
        <EmptyState icon={<SearchIcon size={24} />} title={p('notFoundTitle')} text={p('notFoundText')} />
      ) : error ? (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton height={240} />
      )}
    </>
  );
}

interface PartProps {
  readonly batch: Detail;
  readonly scope: Scope;
  readonly path: string;
}

function BatchDetails({ batch, scope, path }: PartProps) {
  const p = usePageText(texts);
  const format = useFormat();
  const { counts } = batch;
  return (
    <Stack gap="lg">
      <StatRow>
        <StatCard
          label={p('state')}
          value={<BatchState state={batch.state} />}
          hint={<BatchProgress batch={batch} />}
        />
        <StatCard
          label={p('total')}
          value={format.number(counts.total)}
          hint={batch.ended_at === null && p('running', { count: format.number(counts.running) })}
        />
        <StatCard label={p('countSucceeded')} value={format.number(counts.succeeded)} />
        <StatCard label={p('countFailed')} value={format.number(counts.failed)} />
        {counts.cancelled > 0 && <StatCard label={p('countCancelled')} value={format.number(counts.cancelled)} />}
        {counts.expired > 0 && <StatCard label={p('countExpired')} value={format.number(counts.expired)} />}
        <StatCard
          label={p(batch.ended_at === null ? 'costSoFar' : 'cost')}
          value={<Money amount={batch.cost} />}
          hint={p('tokensOf', { input: format.number(batch.input_tokens), output: format.number(batch.output_tokens) })}
        />
      </StatRow>
      {batch.problems.length > 0 && <Problems problems={batch.problems} />}
      {batch.state !== 'failed' && <Results batch={batch} scope={scope} path={path} />}
      <Facts batch={batch} scope={scope} />
    </Stack>
  );
}

function Facts({ batch, scope }: Omit<PartProps, 'path'>) {
  const p = usePageText(texts);
  const mono = (text: string) => (
    <Text span inherit ff="monospace">
      {text}
    </Text>
  );
  const facts = [
    { label: p('endpoint'), value: mono(batch.endpoint) },
    { label: p('format'), value: batch.format === 'openai' ? 'OpenAI' : 'Anthropic' },
    ...(scope.isOperator ? [{ label: p('account'), value: batch.account_name ?? batch.account_id }] : []),
    { label: p('key'), value: batch.key_name ?? batch.key_id },
    { label: p('inputFile'), value: mono(batch.input_file_id) },
    { label: p('created'), value: <When at={batch.created_at} as="date-time" /> },
    { label: p('deadline'), value: <When at={batch.deadline_at} as="date-time" /> },
    ...(batch.ended_at === null ? [] : [{ label: p('ended'), value: <When at={batch.ended_at} as="date-time" /> }]),
  ];
  return (
    <SectionCard title={p('batch')}>
      <FactList facts={facts} />
    </SectionCard>
  );
}

function Problems({ problems }: Pick<Detail, 'problems'>) {
  const p = usePageText(texts);
  return (
    <SectionCard title={p('problemsTitle')} text={p('problemsText')}>
      <Table.ScrollContainer minWidth={320}>
        <Table aria-label={p('problemsTitle')}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{p('line')}</Table.Th>
              <Table.Th>{p('problem')}</Table.Th>
              <Table.Th>{p('code')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {problems.map(({ line, code, message }) => (
              <Table.Tr key={`${line} ${code} ${message}`}>
                <Table.Td>{line ?? p('wholeFile')}</Table.Td>
                <Table.Td>{message}</Table.Td>
                <Table.Td ff="monospace">{code}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </SectionCard>
  );
}

/** The files. They are downloaded on demand only, because the gateway logs each download. */
function Results({ batch, scope, path }: PartProps) {
  const p = usePageText(texts);
  const { language } = useText();
  const format = useFormat();
  const { isBusy, save } = useDownload();
  const { output, errors } = batch;
  const [first] = [output, errors].flatMap((file) => file ?? []);
  const mayRead = batch.readable === true;
  const help = scope.isOperator
    ? p('resultsOperator')
    : batch.ended_at === null
      ? p('resultsWait')
      : !first
        ? p('resultsNone')
        : mayRead
          ? p('resultsHelp')
          : p('resultsNotReader');
  const deleted = first?.deleted_at && p('deletedAt', { date: format.date(first.deleted_at) });
  const button = (kind: 'output' | 'errors') => {
    const file = batch[kind];
    if (!file || !mayRead) return null;
    return (
      <Button
        variant="default"
        leftSection={<FileIcon size={16} />}
        loading={isBusy}
        onClick={() => void save(`${path}/${kind}/read`, {}, `${batch.id}-${kind}.jsonl`, 'POST')}
      >
        {p(kind === 'output' ? 'download' : 'downloadErrors', { size: sizeText(file.bytes) })}
      </Button>
    );
  };
  return (
    <SectionCard
      title={p('resultsTitle')}
      text={deleted ? [help, deleted].join(language === 'zh' ? '' : ' ') : help}
      action={
        <Group gap="xs">
          {button('output')}
          {button('errors')}
        </Group>
      }
    />
  );
}

function Cancel({ batch, scope, path }: PartProps) {
  const p = usePageText(texts);
  const mayOperate = useMayOperate();
  const { account } = useAccountChoice();
  const [isConfirming, setConfirming] = useState(false);
  const cancel = useWrite<Detail>({
    path: `${path}/cancel`,
    changes: [scope.api],
    successMessage: () => p('cancelledNow'),
  });
  const mayCancel = scope.isOperator ? mayOperate : account !== undefined && account.role !== 'viewer';
  if (!mayCancel || (batch.state !== 'validating' && batch.state !== 'in_progress')) return null;
  return (
    <>
      <Button variant="default" onClick={() => setConfirming(true)}>
        {p('cancel')}
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        title={p('cancelTitle')}
        text={p('cancelText')}
        action={p('cancel')}
        write={cancel}
        onClose={() => setConfirming(false)}
      />
    </>
  );
}
