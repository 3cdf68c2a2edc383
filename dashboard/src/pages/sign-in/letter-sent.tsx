import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useSignInStep } from '../../api/sign-in-step.ts';
import { useSite } from '../../api/session.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { CheckIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';
import { CardHead } from './card-head.tsx';

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
