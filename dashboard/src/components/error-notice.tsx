import { Alert, Button, Group, Text } from '@mantine/core';
import type { ApiError } from '../api/api-error.ts';
import { WarningIcon } from '../icons.tsx';
import { useErrorText } from '../text/error-text.ts';
import type { FieldLabels } from '../text/field-labels.ts';
import { useText } from '../text/text.tsx';

export interface ErrorNoticeProps {
  readonly error: ApiError | null | undefined;
  readonly onRetry?: () => void;
  /** What the form calls the fields that a refusal names. */
  readonly labels?: FieldLabels | undefined;
}

/** Says what went wrong in the reader's language, with the id under which it can be looked up; nothing where nothing did. */
export function ErrorNotice({ error, onRetry, labels }: ErrorNoticeProps) {
  const { t } = useText();
  const textOf = useErrorText(labels);
  if (!error) return null;
  if (error.isGone && !onRetry) {
    // Nobody did anything wrong, and nothing is to be looked up.
    return (
      <Alert color="yellow" icon={<WarningIcon />} title={t('common.goneTitle')} role="alert">
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
