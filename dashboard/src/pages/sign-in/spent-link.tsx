import { Stack, Text } from '@mantine/core';
import type { ApiError } from '../../api/api-error.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { ViewAnchor } from '../../components/view-links.tsx';
import { useText } from '../../text/text.tsx';

export interface SpentLinkProps {
  readonly error: ApiError | null;
  readonly onRetry?: () => void;
}

/** Why a link leads nowhere. Whoever used it themselves, and lost the network before the answer, can go on from here. */
export function SpentLink({ error, onRetry }: SpentLinkProps) {
  const { t } = useText();
  if (!error) return null;
  return (
    <Stack gap="sm">
      <ErrorNotice error={error} {...(onRetry && { onRetry })} />
      {error.code === 'sign_in_refused' && (
        <Text fz="sm" c="dimmed">
          {t('signIn.spentLink')}{' '}
          <ViewAnchor to="/app/sign-in" inherit underline="always">
            {t('signIn.title')}
          </ViewAnchor>
        </Text>
      )}
    </Stack>
  );
}
