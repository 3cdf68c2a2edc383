import { Alert, Anchor, Button, Divider, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useSite, type Visitor } from '../../api/session.ts';
import { useSignInStep } from '../../api/sign-in-step.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { Form } from '../../components/form.tsx';
import { emailProblem, passwordProblem } from '../../components/input-problems.ts';
import { PasswordField } from '../../components/password-field.tsx';
import { ViewAnchor } from '../../components/view-links.tsx';
import { RedirectToNext } from '../../frame/redirect.tsx';
import { CheckIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { CardHead, EmailSent } from './card.tsx';
import { OtherSignInMethods, SignInError } from './other-sign-in-methods.tsx';
import { SecondStep } from './second-step.tsx';
import { EmailField } from './email-field.tsx';

/** Asks for a password or passkey, then the second factor if there is one, then redirects. */
export default function SignInPage() {
  const site = useSite();
  const [step, setStep] = useState<'password' | 'second' | 'forgot'>('password');
  const back = () => setStep('password');
  if (site.user) return <RedirectToNext />;
  if (site.needs_setup) return <SetupNeeded />;
  if (step === 'second') return <SecondStep onBack={back} />;
  if (step === 'forgot') return <ForgotStep onBack={back} />;
  return <PasswordStep site={site} onSecondStep={() => setStep('second')} onForgot={() => setStep('forgot')} />;
}

/** Shown before the first owner exists: how to create one. */
function SetupNeeded() {
  const { t } = useText();
  return (
    <Stack gap="lg">
      <CardHead title={t('signIn.setupNeeded')} text={t('signIn.setupNeededText')} />
      <CodeBlock snippets={[{ name: 'Shell', code: 'npx chat-gateway console-link' }]} />
    </Stack>
  );
}

interface PasswordStepProps {
  readonly site: Visitor;
  readonly onSecondStep: () => void;
  readonly onForgot: () => void;
}

/** The query parameters of the sign-in page. */
interface SignInSearch {
  readonly next?: string;
  readonly error?: string;
}

function PasswordStep({ site, onSecondStep, onForgot }: PasswordStepProps) {
  const { t } = useText();
  const { next, error }: SignInSearch = useSearch({ strict: false });
  const signIn = useSignInStep<{ email: string; password: string }>('/auth/sign-in');
  const form = useForm({
    initialValues: { email: '', password: '' },
    validate: {
      email: (email) => emailProblem(email, t),
      password: (password) => passwordProblem(password, t),
    },
  });
  const submit = form.onSubmit((values) =>
    signIn.mutate(values, { onSuccess: (reply) => reply.next === 'two-factor' && onSecondStep() }),
  );
  if (signIn.data?.next === 'confirm') return <EmailSent {...form.getValues()} onBack={signIn.reset} />;
  return (
    <Stack gap="lg">
      <CardHead title={t('signIn.title')} text={t('signIn.text')} />
      <Form onSubmit={submit}>
        <Stack gap="md">
          <SignInError error={signIn.error} />
          {error && !signIn.error && <SignInError override={t('signIn.oidcFailed')} />}
          <EmailField autoComplete="username webauthn" {...form.getInputProps('email')} />
          <PasswordField label={t('signIn.password')} {...form.getInputProps('password')} />
          {site.is_mail_on && (
            <Anchor component="button" type="button" fz="sm" ta="right" onClick={onForgot}>
              {t('signIn.forgotLink')}
            </Anchor>
          )}
          <Button type="submit" size="md" loading={signIn.isPending} fullWidth>
            {t('signIn.submit')}
          </Button>
        </Stack>
      </Form>
      <Divider label={t('signIn.or')} />
      <OtherSignInMethods oidc={site.oidc ?? undefined} />
      {site.site.sign_up && (
        <Text fz="sm" c="dimmed" ta="center">
          {t('signIn.noAccount')}{' '}
          <ViewAnchor to="/app/sign-up" search={{ next }} fz="sm" underline="always">
            {t('signIn.signUpTitle')}
          </ViewAnchor>
        </Text>
      )}
      <Text fz="sm" c="dimmed" ta="center">
        <Help site={site} />
      </Text>
    </Stack>
  );
}

/** Where users without a password or phone get help. */
function Help({ site: { support_email: email, is_mail_on: isMailOn } }: { readonly site: Visitor }) {
  const { t } = useText();
  if (email) return <>{t(isMailOn ? 'signIn.lostPhone' : 'signIn.forgot', { email })}</>;
  return <>{t(isMailOn ? 'signIn.lostPhoneAsk' : 'signIn.forgotAsk')}</>;
}

/** Sends a link for a new password. The reply is the same for known and unknown addresses. */
function ForgotStep({ onBack }: { readonly onBack: () => void }) {
  const { t } = useText();
  const request = useSignInStep<{ email: string }>('/auth/resets');
  const form = useForm({ initialValues: { email: '' }, validate: { email: (email) => emailProblem(email, t) } });
  return (
    <Stack gap="lg">
      <CardHead title={t('signIn.forgotTitle')} text={t('signIn.forgotText')} />
      <Form onSubmit={form.onSubmit((values) => request.mutate(values))}>
        <Stack gap="md">
          <ErrorNotice error={request.error} labels={{ email: t('signIn.email') }} />
          {request.isSuccess && (
            <Alert color="accent" icon={<CheckIcon />} role="status">
              {t('signIn.forgotSent', { email: request.variables.email })}
            </Alert>
          )}
          <EmailField {...form.getInputProps('email')} />
          <Button type="submit" size="md" loading={request.isPending} fullWidth>
            {t('signIn.forgotSend')}
          </Button>
          <Anchor component="button" type="button" fz="sm" c="dimmed" onClick={onBack}>
            {t('signIn.back')}
          </Anchor>
        </Stack>
      </Form>
    </Stack>
  );
}
