import { randomBytes } from 'node:crypto';
import { isOneOf, keyDigests, type Pepper } from '../accounts/key-digest.ts';
import type { Exchange } from '../http/exchange.ts';
import { cookieHeaders, cookieOf } from './cookies.ts';

/**
 * Browsers in which someone signed in before. The cookie opens nothing: it only tells the owner of a name from those who
 * guess for it, so that the guesses of others are nothing the owner has to wait for.
 */
export interface KnownDevices {
  /** Names the browser, if this user signed in there before. */
  find(exchange: Exchange, email: string): string | undefined;
  /** A flat list of headers by which the browser will be known. */
  remember(exchange: Exchange, email: string): readonly string[];
}

const cookieName = 'gateway-device';
const lifetimeSeconds = 180 * 86_400;
/** Users of one browser; whoever signed in longest ago is forgotten first. */
const usersMax = 4;
const wellFormed = /^([\w-]{22})((?:\.[0-9a-f]{64}){1,4})$/;

export function knownDevices(pepper: Pepper): KnownDevices {
  const marksOf = (id: string, email: string) => keyDigests(pepper, `the device ${id} of ${email.toLowerCase()}`);
  return {
    find(exchange, email) {
      const { id, marks } = read(exchange);
      const own = marksOf(id, email);
      return marks.some((each) => isOneOf(own, each)) ? id : undefined;
    },
    remember(exchange, email) {
      const { id, marks } = read(exchange);
      const own = marksOf(id, email);
      const kept = [own[0], ...marks.filter((each) => !own.includes(each))].slice(0, usersMax);
      return cookieHeaders(exchange, { name: cookieName, value: [id, ...kept].join('.'), lifetimeSeconds });
    },
  };
}

/** What the browser brings, or the beginning of something new. */
function read(exchange: Exchange): { readonly id: string; readonly marks: readonly string[] } {
  const [, id, marks = ''] = wellFormed.exec(cookieOf(exchange, cookieName) ?? '') ?? [];
  if (id === undefined) return { id: randomBytes(16).toString('base64url'), marks: [] };
  return { id, marks: marks.split('.').slice(1) };
}
