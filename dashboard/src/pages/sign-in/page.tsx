import { Button, Divider, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useSite, type Visitor } from '../../api/session.ts';
import { useSignInStep } from '../../api/sign-in-step.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { PasswordField } from '../../components/password-field.tsx';
import { ViewAnchor } from '../../components/view-links.tsx';
import { RedirectToNext } from '../../frame/redirect.tsx';
import { useText } from '../../text/text.tsx';
import { CardHead, EmailSent } from './card.tsx';
import { OtherSignInMethods, SignInError } from './other-sign-in-methods.tsx';
import { SecondStep } from './second-step.tsx';

/** Asks for a password or passkey, then the second factor if there is one, then redirects. */
export default function SignInPage() {
  const site = useSite();
  const [isSecond, setSecond] = useState(false);
  if (site.user) return <RedirectToNext />;
  if (site.needs_setup) return <SetupNeeded />;
  if (isSecond) return <SecondStep onBack={() => setSecond(false)} />;
  return <PasswordStep site={site} onSecondStep={() => setSecond(true)} />;
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
}

/** The query parameters of the sign-in page. */
interface SignInSearch {
  readonly next?: string;
  readonly error?: string;
}

function PasswordStep({ site, onSecondStep }: PasswordStepProps) {
  const { t } = useText();
  const { next, error }: SignInSearch = useSearch({ strict: false });
  const signIn = useSignInStep<{ email: string; password: string }>('/auth/sign-in');
  const form = useForm({ initialValues: { email: '', password: '' } });
  const submit = form.onSubmit((values) =>
    signIn.mutate(values, { onSuccess: (reply) => reply.next === 'two-factor' && onSecondStep() }),
  );
  if (signIn.data?.next === 'confirm') return <EmailSent {...form.getValues()} onBack={signIn.reset} />;
  return (
    <Stack gap="lg">
      <CardHead title={t('signIn.title')} text={t('signIn.text')} />
      <form onSubmit={submit}>
        <Stack gap="md">
          <SignInError error={signIn.error} />
          {error && !signIn.error && <SignInError override={t('signIn.oidcFailed')} />}
          <TextInput
            label={t('signIn.email')}
            type="email"
            required
            withAsterisk={false}
            autoComplete="username webauthn"
            autoFocus
            {...form.getInputProps('email')}
          />
          <PasswordField label={t('signIn.password')} {...form.getInputProps('password')} />
          <Button type="submit" size="md" loading={signIn.isPending} fullWidth>
            {t('signIn.submit')}
          </Button>
        </Stack>
      </form>
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
        {site.support_email ? t('signIn.forgot', { email: site.support_email }) : t('signIn.forgotAsk')}
      </Text>
    </Stack>
  );
}
