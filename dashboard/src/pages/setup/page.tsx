import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useSearch } from '@tanstack/react-router';
import { useArrival } from '../../api/arrival.ts';
import { useSite } from '../../api/session.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { newcomer, NewcomerFields } from '../../forms/newcomer-fields.tsx';
import { useText } from '../../text/text.tsx';
import { CardHead } from '../sign-in/card-head.tsx';
import { GoOn } from '../sign-in/go-on.tsx';

/** The first owner arrives by a link that works once. */
export default function SetupPage() {
  const { t } = useText();
  const { user } = useSite();
  const { token }: { readonly token?: string } = useSearch({ strict: false });
  const arrival = useArrival<{ token: string; email: string; name: string; password: string }>('/auth/setup');
  const form = useForm({ initialValues: { email: '', ...newcomer } });
  if (user) return <GoOn />;
  if (!token) return <CardHead title={t('signIn.noToken')} text={t('signIn.noTokenText')} />;
  return (
    <form onSubmit={form.onSubmit((values) => arrival.mutate({ token, ...values }))}>
      <Stack gap="md">
        <CardHead title={t('signIn.setupTitle')} text={t('signIn.setupText')} />
        <ErrorNotice error={arrival.error} />
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
        <NewcomerFields inputProps={form.getInputProps} />
        <Button type="submit" size="md" mt="xs" loading={arrival.isPending} fullWidth>
          {t('signIn.setupDo')}
        </Button>
      </Stack>
    </form>
  );
}
