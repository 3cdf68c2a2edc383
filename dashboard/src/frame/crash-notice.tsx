import { Button } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { isReachable } from '../api/reachable.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { WarningIcon } from '../icons.tsx';
import { useText } from '../text/text.tsx';

/** Replaces a page that failed to render: shows the gateway's error, or a button to reload. */
export function CrashNotice({ error }: ErrorComponentProps) {
  const { t } = useText();
  const [shown, setShown] = useState<unknown>(error);
  // If the gateway is unreachable, a reload would end at an error page of the browser.
  const reload = async () => {
    if (await isReachable()) location.reload();
    else setShown(ApiError.unreachable(error));
  };
  if (shown instanceof ApiError) return <ErrorNotice error={shown} onRetry={() => void reload()} />;
  return (
    <EmptyState
      icon={<WarningIcon size={24} />}
      title={t('common.crashTitle')}
      text={t('common.crashText')}
      action={<Button onClick={() => void reload()}>{t('common.reload')}</Button>}
    />
  );
}
