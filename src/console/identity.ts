import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type Membership, membershipsOf } from '../accounts/members.ts';
import { type OperatorRole, operatorRoleOf } from '../accounts/operators.ts';
import { type User, userById } from '../accounts/users.ts';
import { deviceCharactersMax } from '../admin/sent-from.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { Exchange } from '../http/exchange.ts';
import { engineOf } from '../store/engine.ts';
import { serverUrl } from '../surfaces/openapi/server-url.ts';
import { libraryCookies, mayHaveSession, sessionMaxMs, setCookieHeaders } from './cookies.ts';
import { alertSignIn } from './sign-in-alert.ts';
import { openOwnAccount } from './open-own-account.ts';
import type { ConsoleParts } from './parts.ts';
import { type Passwords, passwords } from './passwords.ts';
import {
  addressHeader,
  type NewSession,
  type OidcProvider,
  type SignInLibrary,
  signInLibrary,
} from './sign-in-library.ts';
import { securityEvents } from './security-events.ts';
import { siteOf } from './site.ts';

/** Someone who is signed in, and what they may do. */
export interface SignedIn {
  readonly sessionId: string;
  /** When they signed in. */
  readonly since: number;
  readonly user: User;
  readonly operator: OperatorRole | undefined;
  readonly memberships: readonly Membership[];
}

/** What the library said, ready to be sent on: `headers` is a flat list. */
export interface LibraryAnswer {
  readonly status: number;
  /** Its JSON; each route reads the fields it knows. */
  readonly body: unknown;
  readonly code: string | undefined;
  readonly headers: readonly string[];
  readonly location: string | undefined;
}

type LibraryCall = (library: SignInLibrary, headers: Headers) => Promise<Response>;

export interface Identity {
  readonly passwords: Passwords;
  callLibrary(exchange: Exchange, run: LibraryCall): Promise<LibraryAnswer>;
  /** The same where the provider of single sign-on is needed. It may be slow or gone, and the others do without it. */
  callProvider(exchange: Exchange, run: LibraryCall): Promise<LibraryAnswer>;
  /** Whose password the request's browser gave a moment ago, where a second factor is asked for; nobody otherwise. */
  challenged(exchange: Exchange): Promise<string | undefined>;
  /** Who sent the request, or nobody. The store is asked every time, so a session that was ended is over at once. */
  signedIn(exchange: Exchange): Promise<SignedIn | undefined>;
  require(exchange: Exchange): Promise<SignedIn>;
}

/** Hosts are chosen by clients, so only so many are remembered; a new one costs a few milliseconds. */
const originsMax = 16;

export function identity(parts: ConsoleParts): Identity {
  const { store, clock } = parts;
  const hashing = passwords(parts.passwordCost);
  const secret = parts.sessionSecret;
  const libraries = new LRUCache<string, Promise<SignInLibrary>>({ max: originsMax });

  /** One for each way the gateway is reached: passkeys and single sign-on are bound to the origin. */
  function libraryFor(exchange: Exchange, oidc?: OidcProvider): { key: string; library: Promise<SignInLibrary> } {
    const site = siteOf(parts, exchange);
    const origin = serverUrl(exchange);
    const key = JSON.stringify([origin, site?.title, oidc && [oidc, site?.signUp, site?.signUpPackage]]);
    const known = libraries.get(key);
    if (known) return { key, library: known };
    const library = signInLibrary({
      store,
      clock,
      engine: engineOf(store.db),
      secret,
      origin,
      title: site?.title ?? 'Chat Gateway',
      passwords: hashing,
      oidc,
      onNewUser: site?.signUp
        ? (user) => openOwnAccount(parts, { user, packageName: site.signUpPackage, from: { requestId: undefined } })
        : undefined,
      onSession: oidc ? (session) => recordProviderSignIn(parts, session) : undefined,
      onError: parts.onError,
    });
    libraries.set(key, library);
    library.catch(() => libraries.delete(key));
    return { key, library };
  }

  async function call(exchange: Exchange, run: LibraryCall, oidc?: OidcProvider): Promise<LibraryAnswer> {
    const { key, library } = libraryFor(exchange, oidc);
    const response = await run(await library, headersOf(exchange));
    // A provider that could not be reached when it was asked about itself is asked again the next time.
    if (oidc && response.status >= 400) libraries.delete(key);
    const text = await response.text();
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    return {
      status: response.status,
      body,
      code: codeOf(body),
      headers: setCookieHeaders(exchange, response.headers),
      location: response.headers.get('location') ?? undefined,
    };
  }

  async function signedIn(exchange: Exchange): Promise<SignedIn | undefined> {
    if (!mayHaveSession(exchange)) return undefined;
    const library = await libraryFor(exchange).library;
    const found = await library.getSession({ headers: headersOf(exchange) });
    if (!found || found.session.createdAt.getTime() + sessionMaxMs < clock.now()) return undefined;
    const [user, operator, memberships] = await Promise.all([
      userById(store.db, found.user.id),
      operatorRoleOf(store.db, found.user.id),
      membershipsOf(store.db, found.user.id),
    ]);
    const since = found.session.createdAt.getTime();
    return user && { sessionId: found.session.id, since, user, operator, memberships };
  }

  return {
    passwords: hashing,
    callLibrary: (exchange, run) => call(exchange, run),
    callProvider: (exchange, run) => call(exchange, run, parts.settings().oidc),
    async challenged(exchange) {
      const { body } = await call(exchange, (library, headers) =>
        library.challengedUser({ headers, asResponse: true }),
      );
      return z.object({ userId: z.string().nullable() }).parse(body).userId ?? undefined;
    },
    signedIn,
    async require(exchange) {
      const found = await signedIn(exchange);
      if (!found) throw new GatewayError('not-signed-in');
      return found;
    },
  };
}

/** Tells of someone who came back from single sign-on: only the library sees who it is. */
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
