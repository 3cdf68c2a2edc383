import { Button, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useSearch } from '@tanstack/react-router';
import { useSignInStep } from '../../api/sign-in-step.ts';
import { useSite } from '../../api/session.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Form } from '../../components/form.tsx';
import { CardHead, EmailSent } from '../sign-in/card.tsx';
import { emptySignUp, SignUpFields, signUpLabels, signUpProblems } from '../sign-in/sign-up-fields.tsx';
import { ViewAnchor } from '../../components/view-links.tsx';
import { RedirectToNext } from '../../frame/redirect.tsx';
import type { Language } from '../../text/language.ts';
import { useText } from '../../text/text.tsx';
import { EmailField } from '../sign-in/email-field.tsx';

/** For sites with open sign-up. */
export default function SignUpPage() {
  const { t, language } = useText();
  const { user, site } = useSite();
  const { next }: { readonly next?: string } = useSearch({ strict: false });
  const signUp = useSignInStep<{ email: string; name: string; password: string; language: Language }>('/auth/sign-up');
  const form = useForm({ initialValues: { email: '', ...emptySignUp }, validate: signUpProblems(t) });
  if (user) return <RedirectToNext />;
  const signIn = (
    <Text fz="sm" c="dimmed" ta="center">
      {t('signIn.haveAccount')}{' '}
      <ViewAnchor to="/app/sign-in" search={{ next }} fz="sm" underline="always">
        {t('signIn.title')}
      </ViewAnchor>
    </Text>
  );
  if (!site.sign_up) {
    return (
      <Stack gap="lg">
        <CardHead title={t('signIn.signUpClosed')} text={t('signIn.signUpClosedText')} />
        {signIn}
      </Stack>
    );
  }
  if (signUp.data?.next === 'confirm') return <EmailSent {...form.getValues()} onBack={signUp.reset} />;
  return (
    <Form onSubmit={form.onSubmit((values) => signUp.mutate({ ...values, language }))}>
      <Stack gap="md">
        <CardHead title={t('signIn.signUpTitle')} text={t('signIn.signUpText')} />
        <ErrorNotice error={signUp.error} labels={signUpLabels(t)} />
        <EmailField placeholder={t('signIn.emailHint')} {...form.getInputProps('email')} />
        <SignUpFields inputProps={form.getInputProps} />
        <Button type="submit" size="md" mt="xs" loading={signUp.isPending} fullWidth>
          {t('signIn.create')}
        </Button>
        {signIn}
      </Stack>
    </Form>
  );
}
