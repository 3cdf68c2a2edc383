import { useWrite } from '../../api/queries.ts';
import { tell } from '../../components/tell.ts';
import { useText } from '../../text/text.tsx';
import { PasswordForm } from './password-form.tsx';

export function AuthenticatorEnd({ onDone }: { readonly onDone: () => void }) {
  const { t } = useText();
  const end = useWrite<unknown, { password: string }>({ path: '/auth/totp/disable', changes: ['session'] });
  const finish = () => {
    tell(t('settings.totpEnded'));
    onDone();
  };
  return (
    <PasswordForm
      text={t('settings.totpEndText')}
      action={t('settings.totpEnd')}
      isDangerous
      isBusy={end.isPending}
      error={end.error}
      onPassword={(password) => end.mutate({ password }, { onSuccess: finish })}
    />
  );
}
