import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Pages } from '../../api/queries.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { RequestsIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import type { Scope } from './scope.ts';

export interface NothingListedProps {
  readonly scope: Scope;
  readonly pages: Pick<Pages<unknown>, 'hasMore' | 'loadMore' | 'isLoadingMore'>;
  readonly isFiltered: boolean;
}

/** Explains why the list is empty, and what to do. */
export function NothingListed({ scope, pages, isFiltered }: NothingListedProps) {
  const { t } = useText();
  if (!isFiltered) {
    return (
      <EmptyState
        icon={<RequestsIcon size={24} />}
        title={t('requests.emptyTitle')}
        text={t('requests.emptyText')}
        action={
          !scope.isOperator && (
            <Button component={Link} to="/app/playground">
              {t('requests.emptyAction')}
            </Button>
          )
        }
      />
    );
  }
  return (
    <EmptyState
      title={t('requests.nothingTitle')}
      text={t(pages.hasMore ? 'requests.nothingYet' : 'requests.nothingText')}
      action={
        pages.hasMore && (
          <Button variant="default" loading={pages.isLoadingMore} onClick={pages.loadMore}>
            {t('requests.lookFurther')}
          </Button>
        )
      }
    />
  );
}
