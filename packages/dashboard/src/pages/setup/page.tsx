import { Button, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useSignInStep } from '../../api/sign-in-step.ts';
import { useSite } from '../../api/session.ts';
import { Form } from '../../components/form.tsx';
import { CardHead, UsedLink, useLink } from '../sign-in/card.tsx';
import { emptySignUp, SignUpFields, signUpProblems } from '../sign-in/sign-up-fields.tsx';
import { RedirectToNext } from '../../frame/redirect.tsx';
import { useText } from '../../text/text.tsx';
import { EmailField } from '../sign-in/email-field.tsx';

/** The target of the setup link for the first owner. It works once. */
export default function SetupPage() {
  const { t } = useText();
  const { user } = useSite();
  const { token, data: link, notice } = useLink<{ is_first: boolean }>('setup');
  const setup = useSignInStep<{ token: string; email: string; name: string; password: string }>('/auth/setup');
  const form = useForm({ initialValues: { email: '', ...emptySignUp }, validate: signUpProblems(t) });
  if (user) return <RedirectToNext />;
  // Check the link first, so that no user fills in a form for a used link.
  if (!link) return notice;
  return (
    <Form onSubmit={form.onSubmit((values) => setup.mutate({ token, ...values }))}>
      <Stack gap="md">
        <CardHead
          title={t('signIn.setupTitle')}
          text={t(link.is_first ? 'signIn.setupText' : 'signIn.setupKnownText')}
        />
        <UsedLink error={setup.error} />
        <EmailField placeholder={t('signIn.emailHint')} {...form.getInputProps('email')} />
        <SignUpFields inputProps={form.getInputProps} />
        <Button type="submit" size="md" mt="xs" loading={setup.isPending} fullWidth>
          {t('signIn.setupDo')}
        </Button>
      </Stack>
    </Form>
  );
}
