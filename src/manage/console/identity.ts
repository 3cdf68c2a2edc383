import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { countChange } from '../../money/accounts/change-quota.ts';
import { type AccountMembership, membershipsOf } from '../../money/accounts/members.ts';
import { type OrganisationMembership, organisationsOfUser } from '../../money/accounts/organisation-members.ts';
import { type OperatorRole, operatorRoleOf } from '../../money/accounts/operators.ts';
import { type User, replaceHash, userById } from '../../money/accounts/users.ts';
import { deviceCharactersMax } from '../admin/api/audit.ts';
import type { SiteSpec } from '../../platform/config/schema/site.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import type { Exchange } from '../../serving/http/exchange.ts';
import { engineOf } from '../../platform/store/engine.ts';
import { serverUrl } from '../../serving/surfaces/openapi/server-url.ts';
import { libraryCookies, mayHaveSession, sessionMaxMs, setCookieHeaders } from './cookies.ts';
import { alertSignIn } from './sign-in-alert.ts';
import { openOwnAccount } from './open-own-account.ts';
import type { ConsoleParts } from './parts.ts';
import { passwords } from './passwords.ts';
import {
  addressHeader,
  type LibraryOptions,
  type NewSession,
  type OidcProvider,
  type SignInLibrary,
  signInLibrary,
} from './sign-in-library.ts';
import { securityEvents } from './security-events.ts';
import { siteOf } from './site.ts';

export interface SignedIn {
  readonly sessionId: string;
  readonly since: number;
  readonly user: User;
  readonly operator: OperatorRole | undefined;
  readonly memberships: readonly AccountMembership[];
  readonly organisations: readonly OrganisationMembership[];
}

/** The library's answer. `headers` is a flat list with its cookies, ready to be sent. */
export interface LibraryAnswer {
  readonly status: number;
  /** Parsed JSON. Each route validates the fields that it reads. */
  readonly body: unknown;
  readonly code: string | undefined;
  readonly headers: readonly string[];
  readonly location: string | undefined;
}

/** `given` are the options of every call. */
type LibraryCall = (
  library: SignInLibrary,
  given: { readonly headers: Headers; readonly asResponse: true },
) => Promise<Response>;

export type Identity = ReturnType<typeof identity>;

/** Clients choose the `Host`, so the cache is bounded. A new entry costs a few milliseconds. */
const originsMax = 16;

export function identity(parts: ConsoleParts) {
  const { store, clock } = parts;
  const hashing = passwords(parts.passwordCost, (before, after) => replaceHash(store.db, clock, { before, after }));
  const libraries = new LRUCache<string, Promise<SignInLibrary>>({ max: originsMax });

  /** One instance for each origin, because passkeys and single sign-on are bound to the origin. */
  function libraryFor(exchange: Exchange, oidc?: OidcProvider): { key: string; library: Promise<SignInLibrary> } {
    const site = siteOf(parts, exchange);
    const origin = serverUrl(exchange);
    const key = JSON.stringify([origin, site?.title, oidc && [oidc, site?.signUp, site?.signUpPackage]]);
    const known = libraries.get(key);
    if (known) return { key, library: known };
    const library = libraryAt(parts, { origin, site, oidc, passwords: hashing });
    libraries.set(key, library);
    library.catch(() => libraries.delete(key));
    return { key, library };
  }

  async function call(exchange: Exchange, run: LibraryCall, oidc?: OidcProvider): Promise<LibraryAnswer> {
    const { key, library } = libraryFor(exchange, oidc);
    const response = await run(await library, { headers: headersOf(exchange), asResponse: true });
    // The provider's metadata may have been unreachable. A new instance requests it again at the next call.
    if (oidc && response.status >= 400) libraries.delete(key);
    const text = await response.text();
    const body: unknown = text === '' ? undefined : ownJson(text);
    return {
      status: response.status,
      body,
      code: codeOf(body),
      headers: setCookieHeaders(exchange, response.headers),
      location: response.headers.get('location') ?? undefined,
    };
  }

  /** Undefined without a valid session. Reads the store every time, so that ending a session takes effect at once. */
  async function signedIn(exchange: Exchange): Promise<SignedIn | undefined> {
    if (!mayHaveSession(exchange)) return undefined;
    const library = await libraryFor(exchange).library;
    const found = await library.getSession({ headers: headersOf(exchange) });
    if (!found || found.session.createdAt.getTime() + sessionMaxMs < clock.now()) return undefined;
    const [user, operator, memberships, organisations] = await Promise.all([
      userById(store.db, found.user.id),
      operatorRoleOf(store.db, found.user.id),
      membershipsOf(store.db, found.user.id),
      organisationsOfUser(store.db, found.user.id),
    ]);
    const since = found.session.createdAt.getTime();
    return user && { sessionId: found.session.id, since, user, operator, memberships, organisations };
  }

  return {
    passwords: hashing,
    callLibrary: (exchange: Exchange, run: LibraryCall) => call(exchange, run),
    /**
     * Like `callLibrary`, with the single sign-on provider. It may be slow or unreachable, so other calls do not use it.
     */
    callProvider: (exchange: Exchange, run: LibraryCall) => call(exchange, run, parts.settings().oidc),
    /** Id of the user whose password this browser gave, while the second factor is missing. */
    async challenged(exchange: Exchange): Promise<string | undefined> {
      const { body } = await call(exchange, (library, given) => library.challengedUser(given));
      return z.object({ userId: z.string().nullable() }).parse(body).userId ?? undefined;
    },
    signedIn,
    require: async (exchange: Exchange) => required(parts, exchange, await signedIn(exchange)),
  };
}

/** A request that changes something counts as a change of the user. */
async function required(
  parts: Pick<ConsoleParts, 'store' | 'clock'>,
  { method }: Exchange,
  found: SignedIn | undefined,
): Promise<SignedIn> {
  if (!found) throw new GatewayError('not-signed-in');
  if (method !== 'GET') await countChange(parts, found.user.id);
  return found;
}

interface LibrarySettings extends Pick<LibraryOptions, 'origin' | 'passwords' | 'oidc'> {
  readonly site: SiteSpec | undefined;
}

function libraryAt(parts: ConsoleParts, { site, oidc, ...settings }: LibrarySettings): Promise<SignInLibrary> {
  const { store, clock } = parts;
  return signInLibrary({
    ...settings,
    store,
    clock,
    engine: engineOf(store.db),
    secret: parts.sessionSecret,
    title: site?.title ?? 'Chat Gateway',
    oidc,
    onNewUser: site?.signUp
      ? (user) => openOwnAccount(parts, { user, packageName: site.signUpPackage, from: { requestId: undefined } })
      : undefined,
    onSession: oidc ? (session) => recordProviderSignIn(parts, session) : undefined,
    onError: parts.onError,
  });
}

/** Records a sign-in by single sign-on. Only the library learns which user it is. */
async function recordProviderSignIn(parts: ConsoleParts, session: NewSession): Promise<void> {
  const user = await userById(parts.store.db, session.userId);
  const from = {
    requestId: undefined,
    address: session.ipAddress ?? undefined,
    device: session.userAgent?.slice(0, deviceCharactersMax),
  };
  const after = { email: user?.email, by: 'single-sign-on' };
  if (!user) return;
  const { userId } = session;
  await securityEvents(parts).record('signIn', user, {
    from,
    after,
    alongside: (tx) => alertSignIn(tx, parts, { userId, ...from, isKnownBrowser: false }),
  });
}

function headersOf(exchange: Exchange): Headers {
  const headers = new Headers({ cookie: libraryCookies(exchange), [addressHeader]: exchange.address });
  for (const name of ['origin', 'user-agent']) {
    const value = exchange.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  return headers;
}

function codeOf(body: unknown): string | undefined {
  return typeof body === 'object' && body !== null && 'code' in body ? String(body.code) : undefined;
}
