import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import type { Language } from '../text/language.ts';
import { call } from './call.ts';
import type { Member, Operator, OrganisationMember } from './wire.ts';

/** The public data of the site that serves this host name. */
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
  /** The identity provider of the organisation, if single sign-on is on. */
  readonly oidc: { readonly name: string } | null;
  readonly support_email: string | null;
  readonly is_mail_on: boolean;
}

export interface Session {
  /** The session has ended. The last known one stays, so that the page stays while the user signs in again. */
  readonly hasEnded?: true;
  readonly user: {
    readonly id: string;
    readonly email: string;
    readonly name: string;
    readonly two_factor: boolean;
    /** False for a user who only signs in by single sign-on. */
    readonly has_password: boolean;
    /** The language of e-mails to the user. Null: not set. */
    readonly language: Language | null;
    /** Whether the user has confirmed the e-mail address. */
    readonly is_verified: boolean;
  };
  readonly operator: Operator['role'] | null;
  readonly accounts: readonly { readonly id: string; readonly name: string; readonly role: MemberRole }[];
  readonly organisations: readonly {
    readonly id: string;
    readonly name: string;
    readonly role: OrganisationMember['role'];
  }[];
  readonly site: Site;
  readonly support_email: string | null;
  readonly currency: string;
  readonly messages_prefix: string;
  readonly version: string;
  /** Whether this gateway sends e-mails. */
  readonly is_mail_on: boolean;
}

/** The longest delay until an open page reflects a changed role. */
const rolesPollMs = 30_000;

/** The current session, or a visitor. The whole frame depends on it. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal, client, queryKey }): Promise<Session | Visitor> => {
    const current = await call<Session | Visitor>('/auth/session', { signal });
    const before = client.getQueryData<Session | Visitor>(queryKey);
    return !current.user && before?.user ? { ...before, hasEnded: true } : current;
  },
  staleTime: 60_000,
  // The user may have signed in as someone else in another tab.
  refetchOnWindowFocus: 'always',
  // A user whose role is raised gets no 403 that would reveal it, so the session is polled.
  refetchInterval: ({ state: { data } }) => (data?.user && !('hasEnded' in data) ? rolesPollMs : false),
});

/** The session of the signed-in user. Call it only inside the signed-in frame, where one exists. */
export function useSession(): Session {
  const { data } = useSuspenseQuery(sessionQuery);
  if (!data.user) throw new Error('useSession is called on a page without a session.');
  return data;
}

/** The data that is also available without a session. */
export function useSite(): Session | Visitor {
  return useSuspenseQuery(sessionQuery).data;
}

/** Whether this user may change operator settings, or only view them. */
export function useMayOperate(): boolean {
  const { operator } = useSession();
  return operator === 'owner' || operator === 'operator';
}
