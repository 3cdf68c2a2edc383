import { Alert } from '@mantine/core';
import type { ApiError } from '../../api/api-error.ts';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { WarningIcon } from '../../icons.tsx';
import { useText } from '../../text/text.tsx';

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
