import { usePages } from '../../api/queries.ts';
import type { AuditLine } from '../../api/wire.ts';
import { ExportButton } from '../../components/export-button.tsx';
import { useFilters } from '../../components/filter-bar.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { type FixedTextKey, useText } from '../../text/text.tsx';
import { startOfDay } from '../../text/wall-clock.ts';
import { auditFilterNames, AuditFilters } from './audit-filters.tsx';
import { AuditList } from './audit-list.tsx';

/** An audit log, newest first. The URL contains the filters. */
export function AuditView({ path, description }: { readonly path: string; readonly description: FixedTextKey }) {
  const { t, timeZone } = useText();
  const [{ since, until, ...filter }] = useFilters(auditFilterNames);
  const query = { ...filter, since: startOfDay(since, 0, timeZone), until: startOfDay(until, 1, timeZone) };
  const pages = usePages<AuditLine>(path, query);
  const isFiltered = Boolean(since ?? until) || Object.keys(filter).length > 0;
  return (
    <>
      <PageHeader
        withAge
        title={t('nav.audit')}
        description={t(description)}
        actions={<ExportButton path={`${path}.csv`} query={query} name="audit" />}
      />
      <AuditFilters />
      <AuditList pages={pages} isFiltered={isFiltered} />
    </>
  );
}
