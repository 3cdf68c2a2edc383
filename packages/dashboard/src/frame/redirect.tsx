import { useRouter, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';

/**
 * Replaces the current view with another. The router's own component would navigate again on every render of its
 * parent.
 */
export function Redirect({ to }: { readonly to: string }) {
  const router = useRouter();
  useEffect(() => router.history.replace(to), [router, to]);
  return null;
}

/** Redirects a user who has signed in to the page in `next`, only within this dashboard. */
export function RedirectToNext() {
  const { next }: { readonly next?: string } = useSearch({ strict: false });
  return <Redirect to={next && isOwnView(next) ? next : '/app/overview'} />;
}

/** An attacker's link must not redirect to another site. */
function isOwnView(address: string): boolean {
  return address.startsWith('/app/') && new URL(address, location.origin).origin === location.origin;
}
