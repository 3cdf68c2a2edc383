import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Goes to another view in place of this one. The router's own component goes again with every drawing of the page around it. */
export function Redirect({ to }: { readonly to: string }) {
  const router = useRouter();
  useEffect(() => router.history.replace(to), [router, to]);
  return null;
}
