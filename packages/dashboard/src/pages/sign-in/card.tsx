import { Alert, Anchor, Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { useSite } from '../../api/session.ts';
import { useSignInStep } from '../../api/sign-in-step.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { ViewAnchor } from '../../components/view-links.tsx';
import { signUpLabels } from './sign-up-fields.tsx';
import { CheckIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';

/** The header of the card on pages without a session. */
export function CardHead({ title, text }: { readonly title: string; readonly text?: ReactNode }) {
  return (
    <div>
      <Title order={1} size="h1">
        {title}
      </Title>
      {text && (
        <Text c="dimmed" mt={4} component="div">
          {text}
        </Text>
      )}
    </div>
  );
}

interface LinkView<Preview> {
  readonly token: string;
  readonly path: string;
  readonly data: Preview | undefined;
  readonly error: ApiError | null;
  readonly read: () => void;
  /** Shown while there is no preview. */
  readonly notice: ReactNode;
}

/** The link in the address: its token, a preview of its effect, and the notice to show if it cannot be used. */
export function useLink<Preview>(kind: 'sign-ups' | 'invitations' | 'resets' | 'setup'): LinkView<Preview> {
  const { t } = useText();
  const { token = '' }: { readonly token?: string } = useSearch({ strict: false });
  const path = `/auth/${kind}/${encodeURIComponent(token)}`;
  const { data, error, refetch } = useQuery<Preview, ApiError>({
    queryKey: ['link', path],
    queryFn: ({ signal }) => call<Preview>(path, { signal }),
    enabled: token !== '',
    staleTime: Number.POSITIVE_INFINITY,
  });
  const read = () => void refetch();
  const notice =
    token === '' ? (
      <CardHead title={t('signIn.noToken')} text={t('signIn.noTokenText')} />
    ) : error && !data ? (
      <UsedLink error={error} onRetry={read} />
    ) : (
      <Skeleton height={240} />
    );
  return { token, path, data, error, read, notice };
}

interface UsedLinkProps {
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

interface EmailSentProps {
  readonly email: string;
  readonly password: string;
  readonly onBack: () => void;
}

/** After a sign-up: asks the user to open the link in the e-mail, and offers to send it again. */
export function EmailSent({ email, password, onBack }: EmailSentProps) {
  const { t } = useText();
  const { support_email: support } = useSite();
  const resend = useSignInStep<{ email: string; password: string }>('/auth/sign-up/again');
  return (
    <Stack gap="md">
      <CardHead title={t('signIn.emailSentTitle')} text={t('signIn.emailSentText', { email })} />
      <Text fz="sm" c="dimmed">
        {support ? t('signIn.emailMissing', { email: support }) : t('signIn.emailMissingAsk')}
      </Text>
      <ErrorNotice error={resend.error} />
      {resend.isSuccess && (
        <Alert color="accent" icon={<CheckIcon />} role="status">
          {t('signIn.emailResent')}
        </Alert>
      )}
      <Group justify="space-between">
        <Button variant="default" loading={resend.isPending} onClick={() => resend.mutate({ email, password })}>
          {t('signIn.resendEmail')}
        </Button>
        <Anchor component="button" type="button" fz="sm" c="dimmed" onClick={onBack}>
          {t('signIn.startOver')}
        </Anchor>
      </Group>
    </Stack>
  );
}
