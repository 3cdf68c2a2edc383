import type { Exchange } from '../../../serving/http/exchange.ts';
import type { LibraryAnswer } from '../identity.ts';
import type { ConsoleParts } from '../parts.ts';
import { slowDown } from './throttle.ts';
import { randomBytes } from 'node:crypto';
import { isOneOf, keyDigests, type Pepper } from '../../../platform/secrets/key-digest.ts';
import { cookieHeaders, cookieOf } from '../cookies.ts';

type SignInCheck = () => Promise<LibraryAnswer>;

export type SignInThrottle = ReturnType<typeof signInThrottle>;

/**
 * Checks every secret that can be guessed, with growing delays after failures. Anonymous attempts are separate from
 * those with a session, a right password or a known browser, so that a flood of anonymous attempts does not delay the
 * others. A right password does not reset wrong codes.
 */
export function signInThrottle({ store, clock, pause, pepper }: ConsoleParts) {
  const anonymous = slowDown({ store, clock, pause, realm: 'strangers' });
  const known = slowDown({ store, clock, pause, realm: 'known' });
  const devices = knownDevices(pepper);
  return {
    devices,
    /** A password, without a session. */
    password(exchange: Exchange, email: string, check: SignInCheck) {
      const { address, gone: signal } = exchange;
      const name = `password ${email.toLowerCase()}`;
      const device = devices.find(exchange, email);
      return device === undefined
        ? anonymous.attempt({ name, address, signal }, check)
        : known.attempt({ name: `${name} at ${device}`, signal }, check);
    },
    /** A password, with a session of that user. */
    ownPassword: ({ gone: signal }: Exchange, userId: string, check: SignInCheck) =>
      known.attempt({ name: `own password ${userId}`, signal }, check),
    /** A code, with a session or the right password of that user. */
    code: ({ gone: signal }: Exchange, userId: string, check: SignInCheck) =>
      known.attempt({ name: `code ${userId}`, signal }, check),
    passkey: ({ address, gone: signal }: Exchange, credentialId: string, check: SignInCheck) =>
      anonymous.attempt({ name: `passkey ${credentialId}`, address, signal }, check),
    /**
     * Throttles probing for known addresses, where a sign-up reveals them, and guessing the password of a pending
     * sign-up.
     */
    signUp: ({ address, gone: signal }: Exchange, email: string, check: SignInCheck) =>
      anonymous.attempt({ name: `sign-up ${email.toLowerCase()}`, address, signal }, check),
  };
}

const cookieName = 'gateway-device';
const lifetimeSeconds = 180 * 86_400;
/** A cookie stores at most this many users. The one who signed in longest ago is dropped first. */
const usersMax = 4;
const wellFormed = /^([\w-]{22})((?:\.[0-9a-f]{64}){1,4})$/;

/**
 * Browsers in which a user signed in before. The cookie grants no access. It only separates the user's attempts from
 * those of attackers, so that failed attempts of others do not delay the user.
 */
function knownDevices(pepper: Pepper) {
  const userDigestsOf = (id: string, email: string) => keyDigests(pepper, `the device ${id} of ${email.toLowerCase()}`);
  return {
    /** Id of the browser, if this user signed in there before. */
    find(exchange: Exchange, email: string): string | undefined {
      const { id, userDigests } = read(exchange);
      const own = userDigestsOf(id, email);
      return userDigests.some((each) => isOneOf(own, each)) ? id : undefined;
    },
    /** A flat list of headers that set the cookie. */
    remember(exchange: Exchange, email: string): readonly string[] {
      const { id, userDigests } = read(exchange);
      const own = userDigestsOf(id, email);
      const kept = [own[0], ...userDigests.filter((each) => !own.includes(each))].slice(0, usersMax);
      return cookieHeaders(exchange, { name: cookieName, value: [id, ...kept].join('.'), lifetimeSeconds });
    },
  };
}

/** Reads the cookie of the browser, or creates a new id. */
function read(exchange: Exchange): { readonly id: string; readonly userDigests: readonly string[] } {
  const [, id, userDigests = ''] = wellFormed.exec(cookieOf(exchange, cookieName) ?? '') ?? [];
  if (id === undefined) return { id: randomBytes(16).toString('base64url'), userDigests: [] };
  return { id, userDigests: userDigests.split('.').slice(1) };
}
