import { Alert, Group, SegmentedControl, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { figureFields } from 'chat-gateway-figures/invoice/invoice-columns.ts';
import type { Invoice } from 'chat-gateway-figures/invoice/invoice-file.ts';
import { asPages } from '../../api/queries.ts';
import type { ReconciledLine, Reconciliation } from '../../api/wire.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Money } from '../../components/money.tsx';
import { SectionCard } from '../../components/section-card.tsx';
import { StatCard, StatRow } from '../../components/stat-card.tsx';
import { StatusLabel } from '../../components/status.tsx';
import { CheckIcon, WarningIcon } from '../../icons.tsx';
import { usePageText } from '../../text/page-text.ts';
import { useShownFigure } from './figures.ts';
import type { InvoiceDraft } from './invoice-draft.ts';
import { LineDetails, lineSummary } from './line-details.tsx';
import classes from './reconciliation.module.css';
import { comparedFigures, figureNames, foreignModels, lineName, ownModels, sortedLines } from './result-lines.ts';
import { figureLabels, texts } from './texts.ts';

/** A comparison, and the file that it was made from. */
export interface Compared {
  readonly result: Reconciliation;
  readonly invoice: Invoice;
  readonly draft: InvoiceDraft;
}

interface ResultProps {
  readonly compared: Compared;
  /** Compares again, with another name for a model of the file. */
  readonly onModel: (invoiced: string, model: string) => void;
}

/** The verdict, the sums of both sides, and the lines. */
export function Result({ compared, onModel }: ResultProps) {
  const { result } = compared;
  return (
    <Stack gap="lg">
      <Verdict result={result} />
      <Notes compared={compared} />
      <Totals result={result} />
      <ModelNames result={result} onModel={onModel} />
      <Lines result={result} />
    </Stack>
  );
}

function Verdict({ result }: { readonly result: Reconciliation }) {
  const t = usePageText(texts);
  const { from, to, tolerance, different_lines: different, lines } = result;
  const count = lines.length;
  return different === 0 ? (
    <Alert color="accent" icon={<CheckIcon />} title={t('agreesTitle')} role="status">
      {t('agreesText', { count, from, to, tolerance })}
    </Alert>
  ) : (
    <Alert color="yellow" icon={<WarningIcon />} title={t('differsTitle', { count, different })} role="status">
      {t('differsText', { from, to, tolerance })}
    </Alert>
  );
}

const namedRowsMax = 10;

/** Facts that limit the comparison. */
function Notes({ compared: { result, invoice, draft } }: { readonly compared: Compared }) {
  const t = usePageText(texts);
  const absent = figureFields.filter((field) => draft.columns[field] === undefined);
  const { skipped, repeated } = invoice;
  const shown = repeated.slice(0, namedRowsMax).join(', ') + (repeated.length > namedRowsMax ? ' …' : '');
  const isCostUnknown = draft.columns.cost !== undefined && result.totals.difference.cost === null;
  const notes = [
    ...result.missing_records.map(({ day, requests }) => t('missingRecords', { day, count: requests })),
    ...(repeated.length > 0 ? [t('repeated', { rows: shown })] : []),
    ...(skipped > 0 ? [t('skipped', { count: skipped })] : []),
    ...result.matched_models.map((each) => t('matched', { ...each })),
    ...(isCostUnknown ? [t('noCost')] : []),
    ...(absent.length > 0 ? [t('absent', { fields: absent.map((field) => t(field)).join(', ') })] : []),
  ];
  if (notes.length === 0) return null;
  return (
    <ul className={classes['notes']} aria-label={t('incomplete')}>
      {notes.map((note) => (
        <li key={note}>{note}</li>
      ))}
    </ul>
  );
}

/** The difference of each figure, and both sides of it. */
function Totals({ result }: { readonly result: Reconciliation }) {
  const t = usePageText(texts);
  const shown = useShownFigure(result.currency);
  const { totals } = result;
  return (
    <StatRow>
      {comparedFigures(result)
        .toReversed()
        .map((name) => (
          <StatCard
            key={name}
            label={`${t(figureLabels[name])}: ${t('difference')}`}
            value={
              <span title={shown(totals.difference[name], 'signed')}>{shown(totals.difference[name], 'short')}</span>
            }
            hint={t('sides', { invoice: shown(totals.invoice[name]), gateway: shown(totals.own[name]) })}
          />
        ))}
      <StatCard
        label={t('charged')}
        value={<Money amount={totals.charged} currency={result.currency} />}
        hint={t('chargedHelp')}
      />
    </StatRow>
  );
}

/** Models that the gateway knows under another name than the provider. */
function ModelNames({
  result,
  onModel,
}: {
  readonly result: Reconciliation;
  readonly onModel: ResultProps['onModel'];
}) {
  const t = usePageText(texts);
  const models = foreignModels(result);
  const known = [...ownModels(result)].toSorted();
  if (models.length === 0 || known.length === 0) return null;
  return (
    <SectionCard title={t('modelNames')} text={t('modelNamesHelp')}>
      <div className={classes['fields']}>
        {models.slice(0, modelsMax).map((model) => (
          <Select
            key={model}
            label={model}
            data={known}
            placeholder={t('sameAs')}
            value={null}
            onChange={(chosen) => chosen !== null && onModel(model, chosen)}
            searchable
          />
        ))}
      </div>
    </SectionCard>
  );
}

const modelsMax = 12;
/** Lines that are shown at once. An invoice may have 10,000. */
const linesPerPage = 100;

function Lines({ result }: { readonly result: Reconciliation }) {
  const t = usePageText(texts);
  const hasDifferences = result.different_lines > 0;
  const [isAll, setIsAll] = useState(!hasDifferences);
  const [count, setCount] = useState(linesPerPage);
  const columns = useLineColumns(result);
  const sorted = sortedLines(result).filter(({ different }) => isAll || different.length > 0);
  const pages = {
    ...asPages({ data: sorted.slice(0, count) }),
    hasMore: sorted.length > count,
    loadMore: () => setCount(count + linesPerPage),
  };
  return (
    <Stack gap="sm">
      {hasDifferences && result.different_lines < result.lines.length && (
        <Group>
          <SegmentedControl
            size="xs"
            aria-label={t('lines')}
            value={isAll ? 'all' : 'different'}
            onChange={(value) => setIsAll(value === 'all')}
            data={[
              { value: 'different', label: t('onlyDifferent') },
              { value: 'all', label: t('allLines') },
            ]}
          />
        </Group>
      )}
      <DataTable
        label={t('lines')}
        columns={columns}
        pages={pages}
        rowKey={lineName}
        rowDetails={(line) => <LineDetails line={line} currency={result.currency} />}
        empty={null}
      />
    </Stack>
  );
}

function useLineColumns(result: Reconciliation): readonly Column<ReconciledLine>[] {
  const t = usePageText(texts);
  const shown = useShownFigure(result.currency);
  const compared = new Set(comparedFigures(result));
  return [
    {
      key: 'line',
      header: t('model'),
      cell: ({ day, model, credential }) => (
        <span>
          {model}
          <Text span fz="xs" c="dimmed" display="block">
            {day}
            {credential !== null && ` · ${t('credential', { number: credential + 1 })}`}
          </Text>
        </span>
      ),
    },
    ...figureNames
      .filter((name) => compared.has(name))
      .map(
        (name): Column<ReconciledLine> => ({
          key: name,
          header: t(figureLabels[name]),
          align: 'right',
          cell: ({ difference, different }) => (
            <Text
              span
              inherit
              fw={different.includes(name) ? 620 : undefined}
              c={different.includes(name) ? undefined : 'dimmed'}
            >
              {shown(difference[name], 'signed')}
            </Text>
          ),
        }),
      ),
    {
      key: 'explanation',
      header: t('explanation'),
      cell: (line) =>
        line.different.length === 0 ? <StatusLabel tone="good">{t('agrees')}</StatusLabel> : lineSummary(line, t),
    },
  ];
}
