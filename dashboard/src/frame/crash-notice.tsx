import { Button } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { ApiError } from '../api/api-error.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { WarningIcon } from '../icons.tsx';
import { useText } from '../text/text.tsx';

/** What stands where a page broke: what the gateway said, or how to go on. */
export function CrashNotice({ error }: ErrorComponentProps) {
  const { t } = useText();
  const reload = () => location.reload();
  if (error instanceof ApiError) return <ErrorNotice error={error} onRetry={reload} />;
  return (
    <EmptyState
      icon={<WarningIcon size={24} />}
      title={t('common.crashTitle')}
      text={t('common.crashText')}
      action={<Button onClick={reload}>{t('common.reload')}</Button>}
    />
  );
}
