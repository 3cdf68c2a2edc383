import { useRouter } from '@tanstack/react-router';
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
