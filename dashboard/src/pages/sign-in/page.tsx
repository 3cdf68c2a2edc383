import { useState } from 'react';
import { useSite } from '../../api/session.ts';
import { RedirectToNext } from '../../frame/redirect.tsx';
import { PasswordStep } from './password-step.tsx';
import { SecondStep } from './second-step.tsx';
import { SetupNeeded } from './setup-needed.tsx';

/** Asks for a password or passkey, then the second factor if there is one, then redirects. */
export default function SignInPage() {
  const site = useSite();
  const [isSecond, setSecond] = useState(false);
  if (site.user) return <RedirectToNext />;
  if (site.needs_setup) return <SetupNeeded />;
  if (isSecond) return <SecondStep onBack={() => setSecond(false)} />;
  return <PasswordStep site={site} onSecondStep={() => setSecond(true)} />;
}
