import { Alert, Button, Group, Text } from '@mantine/core';
import type { ApiError } from '../api/api-error.ts';
import { WarningIcon } from '../icons.tsx';
import { type FieldLabels, useErrorText } from '../text/error-text.ts';
import { useText } from '../text/text.tsx';

export interface ErrorNoticeProps {
  readonly error: ApiError | null | undefined;
  readonly onRetry?: () => void;
  /** The labels of the form fields that an error may name. */
  readonly labels?: FieldLabels | undefined;
}

/** Shows an error in the user's language, with its request id. Renders nothing without an error. */
export function ErrorNotice({ error, onRetry, labels }: ErrorNoticeProps) {
  const { t } = useText();
  const textOf = useErrorText(labels);
  if (!error) return null;
  if (error.isGone && !onRetry) {
    // The user did nothing wrong, so no request id is needed.
    return (
      <Alert color="yellow" icon={<WarningIcon />} title={t('common.notFoundTitle')} role="alert">
        <Text fz="sm">{textOf(error)}</Text>
      </Alert>
    );
  }
  return (
    <Alert color="red" icon={<WarningIcon />} title={t('common.errorTitle')} role="alert">
      <Text fz="sm">{textOf(error)}</Text>
      <Group gap="md" mt={onRetry || error.requestId ? 'xs' : 0}>
        {onRetry && (
          <Button size="compact-sm" variant="default" onClick={onRetry}>
            {t('common.retry')}
          </Button>
        )}
        {error.requestId && (
          <Text fz="xs" c="dimmed">
            {t('common.requestId')}: {error.requestId}
          </Text>
        )}
      </Group>
    </Alert>
  );
}
