import type { BetterAuthOptions } from 'better-auth';
import { forgetUnverified, trimSessions } from '../../money/accounts/users.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Engine } from '../../platform/store/engine.ts';
import type { Store } from '../../platform/store/store.ts';
import { oneUseCodes } from './one-use-codes.ts';
import type { Passwords } from './passwords.ts';

export interface OidcProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly name: string;
}

export interface NewSession {
  readonly userId: string;
  readonly ipAddress?: string | null | undefined;
  readonly userAgent?: string | null | undefined;
}

export interface LibraryOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly engine: Engine;
  /** Signs cookies and encrypts second factors. */
  readonly secret: string;
  /** Origin of the dashboard. Passkeys and single sign-on are bound to it. */
  readonly origin: string;
  readonly title: string;
  readonly passwords: Passwords;
  readonly oidc: OidcProvider | undefined;
  /** Called for each new user of single sign-on. If undefined, unknown users are refused. */
  readonly onNewUser: ((user: { readonly id: string; readonly email: string }) => Promise<void>) | undefined;
  /** Called for each new session. Needed for single sign-on, where only the library learns the user. */
  readonly onSession: ((session: NewSession) => Promise<void>) | undefined;
  /** Receives error messages of the library, without secrets. */
  readonly onError: (message: string) => void;
}

/** A session ends after this time without use. */
const idleSeconds = 30 * 60;

/**
 * Creates the sign-in library on our tables. The library is large, so it is loaded at the first use. Its own routes are
 * not served: our routes call it and rewrite its cookies.
 */
export async function signInLibrary(options: LibraryOptions) {
  const [{ betterAuth }, { twoFactor }, { genericOAuth }, { passkey }, { APIError }] = await Promise.all([
    import('better-auth'),
    import('better-auth/plugins/two-factor'),
    import('better-auth/plugins/generic-oauth'),
    import('@better-auth/passkey'),
    import('better-auth/api'),
  ]);
  const { store, clock, engine } = options;
  const auth = betterAuth({
    appName: options.title,
    baseURL: options.origin,
    basePath: '/auth',
    secret: options.secret,
    database: { db: store.db, type: engine, transaction: false },
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    logger: { level: 'error', log: (_level, message) => options.onError(message) },
    onAPIError: { errorURL: '/app/sign-in' },
    advanced: {
      useSecureCookies: false,
      cookiePrefix: 'gateway',
      cookies: { session_token: { name: 'gateway-session' } },
      ipAddress: { ipAddressHeaders: [addressHeader] },
    },
    emailAndPassword: { enabled: true, disableSignUp: true, password: options.passwords, maxPasswordLength: 256 },
    session: { ...snake('console_sessions', sessionFields), expiresIn: idleSeconds, updateAge: 60 },
    user: snake('console_users', userFields),
    verification: { ...snake('console_verifications', verificationFields), storeIdentifier: 'hashed' },
    // A user whose address is not confirmed is taken over: see `databaseHooks`.
    account: {
      ...snake('console_credentials', credentialFields),
      accountLinking: { enabled: true, requireLocalEmailVerified: false },
    },
    databaseHooks: databaseHooks(options),
    plugins: [
      twoFactor({
        issuer: options.title,
        schema: {
          twoFactor: snake('console_two_factors', twoFactorFields),
          user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
        },
      }),
      await oneUseCodes({ store, clock }),
      passkey({
        rpName: options.title,
        rpID: new URL(options.origin).hostname,
        origin: options.origin,
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        authentication: {
          // A passkey replaces password and second factor, so the device must have verified the user.
          afterVerification: ({ verification }) => {
            if (!verification.authenticationInfo.userVerified) throw new APIError('UNAUTHORIZED');
          },
        },
        schema: { passkey: snake('console_passkeys', passkeyFields) },
      }),
      genericOAuth({ config: providersOf(options) }),
    ],
  });
  return auth.api;
}

export type SignInLibrary = Awaited<ReturnType<typeof signInLibrary>>;

/** The library reads the client's address from this header. The gateway sets it, so that clients cannot. */
export const addressHeader = 'x-gateway-client-address';

const noTokens = { accessToken: null, refreshToken: null, idToken: null };

const userFields = ['emailVerified', 'createdAt', 'updatedAt'] as const;
const sessionFields = ['userId', 'expiresAt', 'createdAt', 'updatedAt', 'ipAddress', 'userAgent'] as const;
const verificationFields = ['expiresAt', 'createdAt', 'updatedAt'] as const;
const twoFactorFields = ['userId', 'backupCodes', 'failedVerificationCount', 'lockedUntil'] as const;
const credentialFields = [
  'userId',
  'accountId',
  'providerId',
  'accessToken',
  'refreshToken',
  'idToken',
  'accessTokenExpiresAt',
  'refreshTokenExpiresAt',
  'createdAt',
  'updatedAt',
] as const;
const passkeyFields = ['userId', 'publicKey', 'credentialID', 'deviceType', 'backedUp', 'createdAt'] as const;

function databaseHooks(options: LibraryOptions): NonNullable<BetterAuthOptions['databaseHooks']> {
  const { store, clock, onNewUser, onSession } = options;
  return {
    user: { create: { after: async (user) => onNewUser?.(user) } },
    session: {
      create: {
        after: async (session) => {
          await trimSessions(store, clock, session.userId);
          await onSession?.(session);
        },
      },
    },
    // The gateway sends no later requests to the provider, so it stores no tokens.
    account: {
      create: {
        // The provider confirms the address: whatever another person chose for this user is removed.
        before: async (credential) => {
          await forgetUnverified(store.db, credential.userId);
          return { data: { ...credential, ...noTokens } };
        },
      },
      update: { before: (credential) => Promise.resolve({ data: { ...credential, ...noTokens } }) },
    },
  };
}

function providersOf({ oidc, onNewUser }: LibraryOptions) {
  if (!oidc) return [];
  return [
    {
      providerId: 'oidc',
      discoveryUrl: `${oidc.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
      clientId: oidc.clientId,
      clientSecret: oidc.clientSecret,
      scopes: ['openid', 'email', 'profile'],
      disableSignUp: onNewUser === undefined,
      requireIdTokenVerification: true,
    },
  ];
}

/** Maps the library's field names to the column names of our table. */
function snake<Field extends string>(modelName: string, names: readonly Field[]) {
  const fields = Object.fromEntries(
    names.map((name) => [name, name.replace(/ID$/, 'Id').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]),
  ) as Record<Field, string>;
  return { modelName, fields };
}
