import { Alert, Button, Card, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { InvoiceError, type InvoiceProblem, invoiceBytesMax } from 'chat-gateway-figures/invoice/invoice-table.ts';
import type { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { saveFile } from '../../api/download.ts';
import { useRead } from '../../api/queries.ts';
import { useMayOperate } from '../../api/session.ts';
import type { Reconciliation, UpstreamHealth } from '../../api/wire.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { FileIcon, ReconciliationIcon, WarningIcon } from '../../icons.tsx';
import { usePageText } from '../../text/page-text.ts';
import { useText } from '../../text/text.tsx';
import { ColumnFields } from './column-fields.tsx';
import { FileDrop } from './file-drop.tsx';
import { type InvoiceDraft, draftOf, readDraft } from './invoice-draft.ts';
import { problemText } from './invoice-problem.ts';
import classes from './reconciliation.module.css';
import { type Compared, Result } from './result.tsx';
import { resultCsv } from './result-lines.ts';
import { texts } from './texts.ts';

/** Compares the usage export of a provider with the records of the gateway. */
export default function ReconciliationPage() {
  const { t: common } = useText();
  const t = usePageText(texts);
  const mayOperate = useMayOperate();
  const comparison = useComparison();
  const { data: compared } = comparison;
  return (
    <>
      <PageHeader
        title={common('nav.reconciliation')}
        description={t('description')}
        actions={compared && <ExportResult compared={compared} />}
      />
      {mayOperate ? (
        <Steps comparison={comparison} />
      ) : (
        <Alert color="gray" icon={<ReconciliationIcon />}>
          {t('readOnly')}
        </Alert>
      )}
    </>
  );
}

interface Comparison {
  readonly upstream: string;
  readonly tolerance: string;
  readonly draft: InvoiceDraft;
}

function useComparison() {
  return useMutation<Compared, ApiError, Comparison>({
    mutationFn: async ({ upstream, tolerance, draft }) => {
      const { invoice, problem } = readDraft(draft);
      if (problem) throw problem;
      const { rows, currency } = invoice;
      const body = { upstream, tolerance, rows, ...(currency !== undefined && { currency }) };
      const result = await call<Reconciliation>('/admin/v1/reconciliations', { method: 'POST', body });
      return { result, invoice, draft };
    },
  });
}

function ExportResult({ compared: { result } }: { readonly compared: Compared }) {
  const { t } = useText();
  const name = `reconciliation-${result.upstream}-${result.from}-${result.to}.csv`;
  const save = () => saveFile(name, new Blob(['\uFEFF', resultCsv(result)], { type: 'text/csv' }));
  return (
    <Button variant="default" leftSection={<FileIcon size={16} />} onClick={save}>
      {t('common.export')}
    </Button>
  );
}

const defaultTolerance = '0.5';

/** The file, its columns and the result, one below the other. */
function Steps({ comparison }: { readonly comparison: ReturnType<typeof useComparison> }) {
  const t = usePageText(texts);
  const health = useRead<UpstreamHealth>('/admin/v1/upstreams/health');
  const { draft, problem, open, setDraft } = useFile(comparison.reset);
  const [upstream, setUpstream] = useState<string | null>(null);
  const [tolerance, setTolerance] = useState(defaultTolerance);
  const upstreams = health.data?.upstreams ?? [];
  // A large file takes seconds, so it is read once for each choice of columns.
  const read = useMemo(() => draft && readDraft(draft), [draft]);
  const compare = (changed: InvoiceDraft) =>
    upstream !== null && comparison.mutate({ upstream, tolerance: tolerance.trim(), draft: changed });
  return (
    <Stack gap="lg">
      <ErrorNotice error={health.error} onRetry={() => void health.refetch()} />
      <Card>
        <Stack gap="md">
          <Group align="flex-start">
            <Select
              label={t('upstream')}
              placeholder={t('chooseUpstream')}
              data={upstreams.map(({ name }) => name)}
              value={upstream}
              onChange={(name) => {
                setUpstream(name);
                comparison.reset();
              }}
              searchable
              className={classes['upstream'] ?? ''}
            />
            <TextInput
              label={t('tolerance')}
              description={t('toleranceHelp')}
              inputWrapperOrder={['label', 'input', 'description']}
              value={tolerance}
              onChange={({ currentTarget }) => setTolerance(currentTarget.value)}
              inputMode="decimal"
              w={180}
            />
          </Group>
          <FileDrop name={draft?.fileName} rows={draft?.table.rows.length} onFile={(file) => void open(file)} />
          <Problem text={problem ?? read?.problem} />
          {draft && read?.invoice && (
            <Group>
              <Button disabled={upstream === null} loading={comparison.isPending} onClick={() => compare(draft)}>
                {t('compare')}
              </Button>
              {(upstream === null || comparison.isPending) && (
                <Text fz="sm" c="dimmed" role="status">
                  {t(upstream === null ? 'needUpstream' : 'comparing')}
                </Text>
              )}
            </Group>
          )}
        </Stack>
      </Card>
      {comparison.error && <ErrorNotice error={comparison.error} labels={{ tolerance: t('tolerance') }} />}
      {draft && !comparison.data && (
        <ColumnFields
          key={draft.fileName}
          draft={draft}
          onChange={setDraft}
          isIncomplete={read?.problem !== undefined && columnProblems.has(read.problem.problem)}
          credentials={upstreams.find(({ name }) => name === upstream)?.credentials.length ?? 0}
        />
      )}
      {comparison.data && (
        <Result
          key={comparison.submittedAt}
          compared={comparison.data}
          onModel={(invoiced, model) => {
            if (!draft) return;
            const renamed = { ...draft, models: new Map([...draft.models, [invoiced, model]]) };
            setDraft(renamed);
            compare(renamed);
          }}
        />
      )}
      {!draft && <FirstVisit upstream={upstream} />}
    </Stack>
  );
}

/** Problems that another choice of columns may solve. */
const columnProblems: ReadonlySet<InvoiceProblem> = new Set(['column_missing', 'column_unknown', 'value_invalid']);

/** The chosen file. `onChange` forgets the result of the previous one. */
function useFile(onChange: () => void) {
  const [draft, setDraft] = useState<InvoiceDraft>();
  const [problem, setProblem] = useState<InvoiceError | 'too_large'>();
  const open = async (file: File) => {
    onChange();
    setDraft(undefined);
    if (file.size > invoiceBytesMax) return setProblem('too_large');
    try {
      setDraft(draftOf(file.name, await file.text()));
      setProblem(undefined);
    } catch (error) {
      if (!(error instanceof InvoiceError)) throw error;
      setProblem(error);
    }
  };
  return { draft, problem, open, setDraft };
}

function Problem({ text }: { readonly text: InvoiceError | 'too_large' | undefined }) {
  const { language } = useText();
  const t = usePageText(texts);
  if (text === undefined) return null;
  return (
    <Alert color="yellow" icon={<WarningIcon />} title={t('problemTitle')} role="alert">
      {text === 'too_large' ? t('too_large') : problemText(text, language)}
    </Alert>
  );
}

/** The purpose of the page, and where the file comes from. */
function FirstVisit({ upstream }: { readonly upstream: string | null }) {
  const t = usePageText(texts);
  const code = `chat-gateway reconcile --provider ${upstream ?? 'NAME'} usage.csv`;
  return (
    <Card>
      <EmptyState icon={<ReconciliationIcon size={28} />} title={t('emptyTitle')} text={t('emptyText')} />
      <div className={classes['where']}>
        <Text fw={560}>{t('whereTitle')}</Text>
        <ul>
          <li>{t('whereOpenai')}</li>
          <li>{t('whereAnthropic')}</li>
          <li>{t('whereOther')}</li>
        </ul>
        <CodeBlock snippets={[{ name: t('command'), code }]} />
      </div>
    </Card>
  );
}
