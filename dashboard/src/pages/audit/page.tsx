import type { AuditLine } from '../../api/wire.ts';
import { usePages } from '../../api/queries.ts';
import { useFilters } from '../../components/filters.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { useText } from '../../text/text.tsx';
import { startOfDay } from '../../text/wall-clock.ts';
import { AuditFilters, auditFilterNames } from './audit-filters.tsx';
import { AuditList } from './audit-list.tsx';

/** Every change, newest first; what is looked for stands in the address. */
export default function AuditPage() {
  const { t, timeZone } = useText();
  const [{ since, until, ...filter }] = useFilters(auditFilterNames);
  const pages = usePages<AuditLine>('/admin/v1/audit', {
    ...filter,
    since: startOfDay(since, 0, timeZone),
    until: startOfDay(until, 1, timeZone),
  });
  const isFiltered = Boolean(since ?? until) || Object.keys(filter).length > 0;
  return (
    <>
      <PageHeader withAge title={t('nav.audit')} description={t('audit.description')} />
      <AuditFilters />
      <AuditList pages={pages} isFiltered={isFiltered} />
    </>
  );
}
