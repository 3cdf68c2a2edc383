import { useSearch } from '@tanstack/react-router';
import { Redirect } from '../../frame/redirect.tsx';

/** Redirects a user who has signed in to the page in `next`, only within this dashboard. */
export function RedirectToNext() {
  const { next }: { readonly next?: string } = useSearch({ strict: false });
  return <Redirect to={next && isOwnView(next) ? next : '/app/overview'} />;
}

/** An attacker's link must not redirect to another site. */
function isOwnView(address: string): boolean {
  return address.startsWith('/app/') && new URL(address, location.origin).origin === location.origin;
}
