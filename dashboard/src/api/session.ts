import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import type { Language } from '../text/language.ts';
import { call } from './call.ts';
import type { Member, Operator } from './wire.ts';

/** What every visitor may know of the site asked for. */
export interface Site {
  readonly name: string;
  readonly title: string;
  readonly sign_up: boolean;
}

export type MemberRole = Member['role'];

export interface Visitor {
  readonly user: null;
  readonly needs_setup: boolean;
  readonly site: Site;
  /** The organisation's own provider, where one may sign in through it. */
  readonly oidc: { readonly name: string } | null;
  readonly support_email: string | null;
}

export interface Session {
  /** It is over, and this is what it was: the page stays while one signs in again. */
  readonly hasEnded?: true;
  readonly user: {
    readonly id: string;
    readonly email: string;
    readonly name: string;
    readonly two_factor: boolean;
    /** Not where one comes by single sign-on alone. */
    readonly has_password: boolean;
    /** What letters to them are written in; null: nobody has said. */
    readonly language: Language | null;
    /** Whether the address is known to be theirs. */
    readonly is_verified: boolean;
  };
  readonly operator: Operator['role'] | null;
  readonly accounts: readonly { readonly id: string; readonly name: string; readonly role: MemberRole }[];
  readonly site: Site;
  readonly support_email: string | null;
  readonly currency: string;
  readonly messages_prefix: string;
  readonly version: string;
  /** Whether letters are sent here. */
  readonly is_mail_on: boolean;
}

/** How long somebody who stays on a page may not know what they may do now. */
const rolesLookedAtMs = 30_000;

/** Who is here. Everything the frame shows hangs on it. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal, client, queryKey }): Promise<Session | Visitor> => {
    const said = await call<Session | Visitor>('/auth/session', { signal });
    const before = client.getQueryData<Session | Visitor>(queryKey);
    return !said.user && before?.user ? { ...before, hasEnded: true } : said;
  },
  staleTime: 60_000,
  // Whoever comes back from another tab may have signed in there as somebody else.
  refetchOnWindowFocus: 'always',
  // Whoever is given a role is refused nothing by which they could notice.
  refetchInterval: ({ state: { data } }) => (data?.user && !('hasEnded' in data) ? rolesLookedAtMs : false),
});

/** The signed-in user's session; only pages inside the frame may ask, where there is one. */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery);
  if (!data.user) throw new Error('useSession is called on a page that needs no one to be signed in.');
  return data;
}

/** What one may know without being signed in. */
export function useSite(): Session | Visitor {
  return useSuspenseQuery(sessionQuery).data;
}
