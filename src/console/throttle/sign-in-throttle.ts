import type { Exchange } from '../../http/exchange.ts';
import type { LibraryAnswer } from '../identity.ts';
import { knownDevices } from './known-devices.ts';
import type { ConsoleParts } from '../parts.ts';
import { slowDown } from './throttle.ts';

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
