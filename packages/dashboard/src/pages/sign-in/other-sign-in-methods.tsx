import { Alert, Button, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ApiError } from '../../api/api-error.ts';
import { call } from '../../api/call.ts';
import { hasPasskeys, signInWithPasskey } from '../../api/passkeys.ts';
import { sessionQuery } from '../../api/session.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { AccountsIcon, SecurityIcon, WarningIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';

/** Sign-in with a passkey or single sign-on. */
export function OtherSignInMethods({ oidc }: { readonly oidc?: { readonly name: string } | undefined }) {
  const { t } = useText();
  const client = useQueryClient();
  const passkey = useMutation({
    mutationFn: signInWithPasskey,
    onSuccess: () => client.refetchQueries(sessionQuery),
  });
  const provider = useMutation({
    mutationFn: () => call<{ url: string }>('/auth/oidc/begin', { method: 'POST' }),
    onSuccess: ({ url }) => location.assign(url),
  });
  return (
    <Stack gap="xs">
      {passkey.isError && <SignInError override={t('signIn.passkeyFailed')} />}
      {provider.isError && <SignInError override={t('signIn.oidcFailed')} />}
      {oidc && (
        <Button
          variant="default"
          size="md"
          leftSection={<AccountsIcon />}
          loading={provider.isPending}
          onClick={() => provider.mutate()}
        >
          {t('signIn.oidc', { name: oidc.name })}
        </Button>
      )}
      <Button
        variant="default"
        size="md"
        leftSection={<SecurityIcon />}
        loading={passkey.isPending}
        disabled={!hasPasskeys()}
        onClick={() => passkey.mutate()}
      >
        {t('signIn.passkey')}
      </Button>
    </Stack>
  );
}

interface SignInErrorProps {
  readonly error?: ApiError | null;
  /** Replaces the text of the error. */
  readonly override?: string;
}

/** Why the sign-in was rejected. The most common reason has its own text. */
export function SignInError({ error, override }: SignInErrorProps) {
  const { t } = useText();
  const text = override ?? (error?.code === 'sign_in_refused' ? t('signIn.wrongPassword') : undefined);
  if (!text) return <ErrorNotice error={error} labels={{ email: t('signIn.email'), password: t('signIn.password') }} />;
  return (
    <Alert color="red" icon={<WarningIcon />} role="alert">
      {text}
    </Alert>
  );
}
