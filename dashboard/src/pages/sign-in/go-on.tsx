import { useRouter, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Takes whoever has signed in to where they wanted to be: a view of this dashboard and nothing else. */
export function GoOn() {
  const router = useRouter();
  const { next }: { readonly next?: string } = useSearch({ strict: false });
  useEffect(() => router.history.replace(next && isOwnView(next) ? next : '/app/overview'), [router, next]);
  return null;
}

/** A link made by somebody else must not lead out of here. */
function isOwnView(address: string): boolean {
  const target = new URL(address, location.origin);
  return target.origin === location.origin && address.startsWith('/app/');
}
