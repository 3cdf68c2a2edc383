import type { Exchange } from '../http/exchange.ts';
import type { LibraryAnswer } from './identity.ts';
import { type KnownDevices, knownDevices } from './known-devices.ts';
import type { ConsoleParts } from './parts.ts';
import { slowDown } from './throttle.ts';

type SignInCheck = () => Promise<LibraryAnswer>;

/** Everything that can be guessed is looked at through one of these, each of which makes guessing slow. */
export interface SignInThrottle {
  readonly devices: KnownDevices;
  /** A password, from outside. */
  password(exchange: Exchange, email: string, check: SignInCheck): Promise<LibraryAnswer>;
  /** A password, by someone who has a session of that user. */
  ownPassword(exchange: Exchange, userId: string, check: SignInCheck): Promise<LibraryAnswer>;
  /** A code, by someone who has a session of that user or gave the password. */
  code(exchange: Exchange, userId: string, check: SignInCheck): Promise<LibraryAnswer>;
  passkey(exchange: Exchange, credentialId: string, check: SignInCheck): Promise<LibraryAnswer>;
  /** Which addresses are known here, where signing up has to tell; and what somebody chose who has not answered their letter. */
  signUp(exchange: Exchange, email: string, check: SignInCheck): Promise<LibraryAnswer>;
}

/**
 * Strangers and those who have shown something already, be it only that they signed in here before, are kept apart: a
 * crowd of the former takes nothing from the latter. A right password does not forgive wrong codes.
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
