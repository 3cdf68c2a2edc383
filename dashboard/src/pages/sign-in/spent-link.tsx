import { Stack, Text } from '@mantine/core';
import type { ApiError } from '../../api/api-error.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { ViewAnchor } from '../../components/view-links.tsx';
import { signUpLabels } from '../../forms/sign-up-fields.tsx';
import { useText } from '../../text/text.tsx';
import { CardHead } from './card-head.tsx';

export interface UsedLinkProps {
  readonly error: ApiError | null;
  readonly onRetry?: () => void;
}

/** Why a link does not work. A user who used it, but lost the response, can continue from here. */
export function UsedLink({ error, onRetry }: UsedLinkProps) {
  const { t } = useText();
  if (!error) return null;
  const isUsed = error.reason === 'link_expired';
  return (
    <Stack gap="sm">
      {/* If nothing else is shown, the page needs a header. */}
      {onRetry && <CardHead title={t(isUsed ? 'signIn.linkExpired' : 'common.errorTitle')} />}
      <ErrorNotice error={error} labels={signUpLabels(t)} {...(onRetry && { onRetry })} />
      {isUsed && (
        <Text fz="sm" c="dimmed">
          {t('signIn.usedLink')}{' '}
          <ViewAnchor to="/app/sign-in" inherit underline="always">
            {t('signIn.title')}
          </ViewAnchor>
        </Text>
      )}
    </Stack>
  );
}
