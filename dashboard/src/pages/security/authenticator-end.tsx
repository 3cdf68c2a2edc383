import { useWrite } from '../../api/write.ts';
import { useText } from '../../text/text.tsx';
import { PasswordForm } from './password-form.tsx';

export function AuthenticatorEnd({ onDone }: { readonly onDone: () => void }) {
  const { t } = useText();
  const end = useWrite<unknown, { password: string }>({
    path: '/auth/totp/disable',
    changes: ['session'],
    successMessage: () => t('settings.totpEnded'),
  });
  return (
    <PasswordForm
      text={t('settings.totpEndText')}
      action={t('settings.totpEnd')}
      isDangerous
      isBusy={end.isPending}
      error={end.error}
      onPassword={(password) => end.mutate({ password }, { onSuccess: onDone })}
    />
  );
}
