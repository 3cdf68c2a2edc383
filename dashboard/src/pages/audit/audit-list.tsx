import { Button, Skeleton, Text } from '@mantine/core';
import type { AuditLine } from '../../api/wire.ts';
import type { Pages } from '../../api/queries.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { AuditIcon, SearchIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { AuditEntry } from './audit-entry.tsx';
import classes from './audit.module.css';

/** The entries of the log. Each expands to its changed fields. */
export function AuditList({ pages, isFiltered }: { readonly pages: Pages<AuditLine>; readonly isFiltered: boolean }) {
  const { t } = useText();
  const { rows } = pages;
  if (pages.error && !rows) return <ErrorNotice error={pages.error} onRetry={pages.retry} />;
  if (!rows) return <Outline />;
  if (rows.length === 0) {
    return (
      <div className={classes['box']}>
        {isFiltered ? (
          <EmptyState icon={<SearchIcon />} title={t('audit.nothingFound')} text={t('audit.nothingFoundText')} />
        ) : (
          <EmptyState icon={<AuditIcon />} title={t('audit.emptyTitle')} text={t('audit.emptyText')} />
        )}
      </div>
    );
  }
  return (
    <div className={classes['box']}>
      <ol className={classes['list']} aria-label={t('audit.label')}>
        {rows.map((line) => (
          <AuditEntry key={line.id} line={line} />
        ))}
      </ol>
      <div className={classes['foot']}>
        <Text fz="sm" c="dimmed">
          {t('common.rows', { count: rows.length })}
        </Text>
        {pages.hasMore && (
          <Button size="xs" variant="default" loading={pages.isLoadingMore} onClick={pages.loadMore}>
            {t('common.loadMore')}
          </Button>
        )}
      </div>
      <ErrorNotice error={pages.error} onRetry={pages.retry} />
    </div>
  );
}

function Outline() {
  return (
    <div className={classes['box']} aria-busy>
      {['1', '2', '3', '4', '5', '6'].map((key) => (
        <div key={key} className={classes['outline']}>
          <Skeleton height={14} width="55%" />
          <Skeleton height={14} width={90} />
        </div>
      ))}
    </div>
  );
}
