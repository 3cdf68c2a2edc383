import { Button, Skeleton, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { ApiError } from '../../api/api-error.ts';
import { useSignInStep } from '../../api/sign-in-step.ts';
import { call } from '../../api/call.ts';
import { useSite } from '../../api/session.ts';
import { emptySignUp, SignUpFields } from '../sign-in/sign-up-fields.tsx';
import { RedirectToNext } from '../../frame/redirect.tsx';
import { useText } from '../../text/text.tsx';
import { CardHead, UsedLink } from '../sign-in/card-head.tsx';

/** The target of the setup link for the first owner. It works once. */
export default function SetupPage() {
  const { t } = useText();
  const { user } = useSite();
  const { token }: { readonly token?: string } = useSearch({ strict: false });
  const setup = useSignInStep<{ token: string; email: string; name: string; password: string }>('/auth/setup');
  const form = useForm({ initialValues: { email: '', ...emptySignUp } });
  const link = useQuery<{ is_first: boolean }, ApiError>({
    queryKey: ['setup', token],
    queryFn: ({ signal }) => call(`/auth/setup/${encodeURIComponent(token ?? '')}`, { signal }),
    enabled: token !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (user) return <RedirectToNext />;
  if (!token) return <CardHead title={t('signIn.noToken')} text={t('signIn.noTokenText')} />;
  // Check the link first, so that no user fills in a form for a used link.
  if (link.error) return <UsedLink error={link.error} onRetry={() => void link.refetch()} />;
  if (!link.data) return <Skeleton height={320} />;
  return (
    <form onSubmit={form.onSubmit((values) => setup.mutate({ token, ...values }))}>
      <Stack gap="md">
        <CardHead
          title={t('signIn.setupTitle')}
          text={t(link.data.is_first ? 'signIn.setupText' : 'signIn.setupKnownText')}
        />
        <UsedLink error={setup.error} />
        <TextInput
          label={t('signIn.email')}
          placeholder={t('signIn.emailHint')}
          type="email"
          required
          withAsterisk={false}
          autoComplete="username"
          autoFocus
          {...form.getInputProps('email')}
        />
        <SignUpFields inputProps={form.getInputProps} />
        <Button type="submit" size="md" mt="xs" loading={setup.isPending} fullWidth>
          {t('signIn.setupDo')}
        </Button>
      </Stack>
    </form>
  );
}
