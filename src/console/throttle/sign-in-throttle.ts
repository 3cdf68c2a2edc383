import type { Exchange } from '../../http/exchange.ts';
import type { LibraryAnswer } from '../identity.ts';
import { type KnownDevices, knownDevices } from './known-devices.ts';
import type { ConsoleParts } from '../parts.ts';
import { slowDown } from './throttle.ts';

type SignInCheck = () => Promise<LibraryAnswer>;

/** Checks every secret that can be guessed, with growing delays after failures. */
export interface SignInThrottle {
  readonly devices: KnownDevices;
  /** A password, without a session. */
  password(exchange: Exchange, email: string, check: SignInCheck): Promise<LibraryAnswer>;
  /** A password, with a session of that user. */
  ownPassword(exchange: Exchange, userId: string, check: SignInCheck): Promise<LibraryAnswer>;
  /** A code, with a session or the right password of that user. */
  code(exchange: Exchange, userId: string, check: SignInCheck): Promise<LibraryAnswer>;
  passkey(exchange: Exchange, credentialId: string, check: SignInCheck): Promise<LibraryAnswer>;
  /**
   * Throttles probing for known addresses, where a sign-up reveals them, and guessing the password of a pending
   * sign-up.
   */
  signUp(exchange: Exchange, email: string, check: SignInCheck): Promise<LibraryAnswer>;
}

/**
 * Anonymous attempts are separate from those with a session, a right password or a known browser, so that a flood of
 * anonymous attempts does not delay the others. A right password does not reset wrong codes.
 */
export function signInThrottle({ store, clock, pause, pepper }: ConsoleParts): SignInThrottle {
  const anonymous = slowDown({ store, clock, pause, realm: 'strangers' });
  const known = slowDown({ store, clock, pause, realm: 'known' });
  const devices = knownDevices(pepper);
  return {
    devices,
    password(exchange, email, check) {
      const { address, gone: signal } = exchange;
      const name = `password ${email.toLowerCase()}`;
      const device = devices.find(exchange, email);
      return device === undefined
        ? anonymous.attempt({ name, address, signal }, check)
        : known.attempt({ name: `${name} at ${device}`, signal }, check);
    },
    ownPassword: ({ gone: signal }, userId, check) => known.attempt({ name: `own password ${userId}`, signal }, check),
    code: ({ gone: signal }, userId, check) => known.attempt({ name: `code ${userId}`, signal }, check),
    passkey: ({ address, gone: signal }, credentialId, check) =>
      anonymous.attempt({ name: `passkey ${credentialId}`, address, signal }, check),
    signUp: ({ address, gone: signal }, email, check) =>
      anonymous.attempt({ name: `sign-up ${email.toLowerCase()}`, address, signal }, check),
  };
}
