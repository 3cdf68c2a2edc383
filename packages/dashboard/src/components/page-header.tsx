import { ActionIcon, Group, Skeleton, Text, Title, Tooltip, VisuallyHidden } from '@mantine/core';
import { type Query, type QueryClient, useIsFetching, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useEffect, useRef, useSyncExternalStore } from 'react';
import type { ApiError } from '../api/api-error.ts';
import { RefreshIcon } from '../icons.tsx';
import { useFormat } from '../text/format.ts';
import { useText } from '../text/text.tsx';
import { ErrorNotice } from './error-notice.tsx';
import classes from './page-header.module.css';
import { useTick } from './when.tsx';

export interface PageHeaderProps {
  /** Undefined while loading. */
  readonly title: ReactNode;
  /** One sentence: the purpose of this page. */
  readonly description?: ReactNode;
  /** Buttons, the most important one last. */
  readonly actions?: ReactNode;
  /** A line below the title and the actions. */
  readonly facts?: ReactNode;
  /** Shows the age of the data on the page. */
  readonly withAge?: boolean;
}

/** The header of every page. */
export function PageHeader({ title, description, actions, facts, withAge = false }: PageHeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useFocusOnNewPage(heading);
  return (
    <header className={classes['header']}>
      <div className={classes['words']}>
        <Title order={1} ref={heading} tabIndex={-1} className={classes['heading']}>
          {title ?? <LoadingTitle />}
        </Title>
        {description && (
          <Text c="dimmed" mt={4} maw={640} component="div">
            {description}
          </Text>
        )}
      </div>
      {(actions || withAge) && (
        <Group gap="xs">
          {withAge && <Freshness />}
          {actions}
        </Group>
      )}
      {facts && <div className={classes['facts']}>{facts}</div>}
    </header>
  );
}

/** Has a text, because screen readers list headings. */
function LoadingTitle() {
  const { t } = useText();
  return (
    <>
      <Skeleton height={28} width={180} />
      <VisuallyHidden>{t('common.loading')}</VisuallyHidden>
    </>
  );
}

let pagesShown = 0;

/**
 * Moves the focus to the heading of a new page, so that a screen reader announces it and the next Tab key continues
 * there. The first page keeps the focus of the browser, and a field in use keeps its own.
 */
function useFocusOnNewPage(heading: RefObject<HTMLHeadingElement | null>): void {
  useEffect(() => {
    pagesShown += 1;
    const { activeElement } = document;
    const isFree = !activeElement?.closest('input, textarea, select, [role="dialog"]');
    if (pagesShown > 1 && isFree) heading.current?.focus({ preventScroll: true });
  }, [heading]);
}

interface PageErrorProps extends Pick<PageHeaderProps, 'title'> {
  readonly back: ReactNode;
  readonly read: { readonly error: ApiError | null; readonly refetch: () => unknown };
}

/** Replaces a page whose document could not be read. */
export function PageError({ back, title, read }: PageErrorProps) {
  return (
    <>
      {back}
      <PageHeader title={title} />
      <ErrorNotice error={read.error} onRetry={() => void read.refetch()} />
    </>
  );
}

/** Shows the age of the data on the page, or since when reads fail, and reloads on a click. */
function Freshness() {
  const { t } = useText();
  const format = useFormat();
  const client = useQueryClient();
  const isReading = useIsFetching({ type: 'active', predicate: isOfPage }) > 0;
  const read = useOldest(client);
  useTick(tickMs);
  // Takes its space before the first read, so that the page does not move.
  const { at, hasFailed } = read ?? { at: Date.now(), hasFailed: false };
  // "Last updated now" would contradict a failure.
  const time = hasFailed ? format.time(at) : format.relative(Math.min(at, Date.now()));
  return (
    <div className={classes['freshness']} data-unread={read === undefined || undefined}>
      <Text
        fz="xs"
        c={hasFailed ? 'var(--mantine-color-error)' : 'dimmed'}
        role={hasFailed ? 'status' : undefined}
        title={format.dateTime(at)}
      >
        {t(hasFailed ? 'common.notUpdated' : 'common.updated', { time })}
      </Text>
      <Tooltip label={t('common.refresh')}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t('common.refresh')}
          loading={isReading}
          onClick={() => void client.refetchQueries({ type: 'active', predicate: isOfPage })}
        >
          <RefreshIcon size={16} />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}

/** Queries of the page itself, without the session and the queries of the frame. */
function isOfPage({ queryKey: [path] }: Query): boolean {
  return typeof path === 'string' && path.startsWith('/') && !framePaths.has(path);
}

const framePaths: ReadonlySet<unknown> = new Set(['/account/v1/account']);

interface FreshnessReading {
  readonly at: number;
  readonly hasFailed: boolean;
}

/** The age of a page is the age of its oldest query. */
function useOldest(client: QueryClient): FreshnessReading | undefined {
  const cache = client.getQueryCache();
  const snapshot = useSyncExternalStore(
    (changed) => cache.subscribe(() => queueMicrotask(changed)),
    () => {
      const active = cache.findAll({ type: 'active', predicate: isOfPage }).map(({ state }) => state);
      const shown = active.filter(({ dataUpdatedAt }) => dataUpdatedAt > 0);
      if (shown.length === 0) return '';
      const at = Math.min(...shown.map(({ dataUpdatedAt }) => dataUpdatedAt));
      // A part that has no data yet may have failed too, for example after the user chose another time range.
      return `${at} ${active.some(({ error, fetchFailureReason }) => (error ?? fetchFailureReason) !== null)}`;
    },
  );
  if (snapshot === '') return undefined;
  const [at, hasFailed] = snapshot.split(' ');
  return { at: Number(at), hasFailed: hasFailed === 'true' };
}

const tickMs = 5000;
