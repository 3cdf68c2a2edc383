import type { Balance } from '../../api/wire.ts';
import { useRead } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { FirstSteps } from '../../components/first-steps.tsx';
import { useText } from '../../text/text.tsx';

/** The first steps for the owner of a new account, after the first request succeeded. */
export function OwnerSteps() {
  const { t } = useText();
  const { user } = useSession();
  const balance = useRead<Balance>('/account/v1/balance').data;
  return (
    <FirstSteps
      name="owner"
      steps={
        balance && [
          { title: t('steps.key'), text: t('steps.keyText'), to: '/app/keys', isDone: true },
          { title: t('steps.sendRequest'), text: t('steps.sendRequestText'), to: '/app/playground', isDone: true },
          {
            title: t('steps.credit'),
            text: t('steps.creditText'),
            to: '/app/billing',
            isDone: Number(balance.total) > 0,
          },
          {
            title: t('steps.twoFactor'),
            text: t('steps.twoFactorText'),
            to: '/app/settings/security',
            isDone: user.two_factor,
          },
        ]
      }
    />
  );
}
