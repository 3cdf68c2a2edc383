import { Group, Skeleton } from '@mantine/core';
import { useAccountChoice } from '../../api/account.tsx';
import { type Pages, usePages } from '../../api/queries.ts';
import type { AuditLine } from '../../api/wire.ts';
import { PagedList, skeletonRows } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ExportButton } from '../../components/export-button.tsx';
import { ClearFilters, DayField, FilterBar } from '../../components/filter-bar.tsx';
import { useFilters } from '../../components/filters.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { AuditIcon, SearchIcon } from '../../icons.tsx';
import { type FixedTextKey, useText } from '../../text/text.tsx';
import { startOfDay } from '../../text/wall-clock.ts';
import { AuditEntry } from './audit-entry.tsx';
import classes from './audit.module.css';
import { actionNames, actionWords, kindNames, kindWords } from './words.ts';

/** The audit log of the account, for its owners. */
export default function OwnAuditPage() {
  const { t } = useText();
  const { account } = useAccountChoice();
  if (account?.role !== 'owner') {
    return (
      <>
        <PageHeader title={t('nav.audit')} />
        <EmptyState title={t('audit.ownersOnly')} text={t('audit.ownersOnlyText')} />
      </>
    );
  }
  return <AuditView path="/account/v1/audit" title="nav.audit" description="audit.ownDescription" />;
}

/** All changes and sign-ins. */
export function OperatorPage() {
  return <AuditView path="/admin/v1/audit" title="nav.operatorAudit" description="audit.description" />;
}

interface AuditViewProps {
  readonly path: string;
  readonly title: FixedTextKey;
  readonly description: FixedTextKey;
}

/** An audit log, newest first. The URL contains the filters. */
function AuditView({ path, title, description }: AuditViewProps) {
  const { t, timeZone } = useText();
  const [{ since, until, ...filter }] = useFilters(auditFilterNames);
  const query = { ...filter, since: startOfDay(since, 0, timeZone), until: startOfDay(until, 1, timeZone) };
  const pages = usePages<AuditLine>(path, query);
  const isFiltered = Boolean(since ?? until) || Object.keys(filter).length > 0;
  return (
    <>
      <PageHeader
        withAge
        title={t(title)}
        description={t(description)}
        actions={<ExportButton path={`${path}.csv`} query={query} name="audit" />}
      />
      <AuditFilters />
      <AuditList pages={pages} isFiltered={isFiltered} />
    </>
  );
}

/** The entries of the log. Each expands to its changed fields. */
function AuditList({ pages, isFiltered }: { readonly pages: Pages<AuditLine>; readonly isFiltered: boolean }) {
  const { t } = useText();
  const empty = isFiltered ? (
    <EmptyState
      icon={<SearchIcon />}
      title={t('audit.nothingFound')}
      text={t('audit.nothingFoundText')}
      action={<ClearFilters names={auditFilterNames} />}
    />
  ) : (
    <EmptyState icon={<AuditIcon />} title={t('audit.emptyTitle')} text={t('audit.emptyText')} />
  );
  return (
    <PagedList pages={pages} empty={empty} countedFrom={1}>
      {(rows) =>
        rows ? (
          <ol className={classes['list']} aria-label={t('audit.label')}>
            {rows.map((line) => (
              <AuditEntry key={line.id} line={line} />
            ))}
          </ol>
        ) : (
          <Outline />
        )
      }
    </PagedList>
  );
}

function Outline() {
  return (
    <div aria-busy>
      {skeletonRows.map((key) => (
        <div key={key} className={classes['outline']}>
          <Skeleton height={14} width="55%" />
          <Skeleton height={14} width={90} />
        </div>
      ))}
    </div>
  );
}

const auditFilterNames = ['account', 'actor', 'action', 'subject_kind', 'subject_id', 'since', 'until'] as const;

function AuditFilters() {
  const { t } = useText();
  const [{ since = '', until = '' }, change] = useFilters(auditFilterNames);
  return (
    <FilterBar
      otherNames={['since', 'until']}
      fields={[
        { name: 'actor', label: t('audit.actor'), width: 140 },
        {
          name: 'action',
          label: t('audit.action'),
          width: 190,
          options: actionNames.map((value) => ({
            value,
            label: `${actionWords(value, t).replace(/[:：]$/, '')} (${value})`,
          })),
        },
        {
          name: 'subject_kind',
          label: t('audit.kind'),
          width: 140,
          options: kindNames.map((value) => ({ value, label: kindWords(value, t) })),
        },
        { name: 'subject_id', label: t('audit.subject'), width: 150 },
      ]}
    >
      <Group gap="xs" wrap="nowrap">
        <DayField label={t('audit.since')} value={since} max={until} onChange={(day) => change({ since: day })} />
        <DayField label={t('audit.until')} value={until} min={since} onChange={(day) => change({ until: day })} />
      </Group>
    </FilterBar>
  );
}
