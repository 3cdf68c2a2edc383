import { useSearch } from '@tanstack/react-router';
import { Redirect } from '../../frame/redirect.tsx';

/** Takes whoever has signed in to where they wanted to be: a view of this dashboard and nothing else. */
export function GoOn() {
  const { next }: { readonly next?: string } = useSearch({ strict: false });
  return <Redirect to={next && isOwnView(next) ? next : '/app/overview'} />;
}

/** A link made by somebody else must not lead out of here. */
function isOwnView(address: string): boolean {
  return address.startsWith('/app/') && new URL(address, location.origin).origin === location.origin;
}
