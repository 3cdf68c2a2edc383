import { randomBytes } from 'node:crypto';
import { isOneOf, keyDigests, type Pepper } from '../../accounts/key-digest.ts';
import type { Exchange } from '../../http/exchange.ts';
import { cookieHeaders, cookieOf } from '../cookies.ts';

const cookieName = 'gateway-device';
const lifetimeSeconds = 180 * 86_400;
/** A cookie stores at most this many users. The one who signed in longest ago is dropped first. */
const usersMax = 4;
const wellFormed = /^([\w-]{22})((?:\.[0-9a-f]{64}){1,4})$/;

/**
 * Browsers in which a user signed in before. The cookie grants no access. It only separates the user's attempts from
 * those of attackers, so that failed attempts of others do not delay the user.
 */
export function knownDevices(pepper: Pepper) {
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
