import { Button, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { hasPasskeys, signInWithPasskey } from '../../api/passkeys.ts';
import { sessionQuery } from '../../api/session.ts';
import { AccountsIcon, SecurityIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { SignInError } from './refusal.tsx';

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
