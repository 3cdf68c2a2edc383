import { type SignUp, signUpsOf } from '../accounts/sign-ups.ts';
import type { LibraryAnswer } from './identity.ts';
import type { ConsoleParts } from './parts.ts';
import type { Passwords } from './passwords.ts';

/** Those who signed up and have not answered their letter. */
export interface WaitingSignUps {
  /** The one of an address that was made with this password. Nobody where there is no mail: then nobody waits. */
  find(email: string, password: string): Promise<SignUp | undefined>;
}

const nothing = { body: undefined, headers: [], location: undefined } as const;

/** What a proof comes to that the library was not asked about. */
export const welcome: LibraryAnswer = { status: 200, code: undefined, ...nothing };
export const refusal: LibraryAnswer = { status: 401, code: 'REFUSED', ...nothing };
/**
 * Somebody signed up with this address and password, and has to answer their letter. It counts as a wrong guess: anybody can sign
 * up with somebody else's address, and must not wipe out what is counted against guesses of the real password.
 */
export const toConfirm: LibraryAnswer = { status: 401, code: 'TO_CONFIRM', ...nothing };

export function waitingSignUps(parts: ConsoleParts, passwords: Passwords): WaitingSignUps {
  let nobodys: Promise<string> | undefined;
  return {
    async find(email, password) {
      if (!parts.mail.settings) return undefined;
      const all = await signUpsOf(parts, email);
      for (const signUp of all) {
        if (await passwords.verify({ hash: signUp.passwordHash, password })) return signUp;
      }
      // It takes as long for an address that nobody signed up with.
      if (all.length === 0) {
        nobodys ??= passwords.hash('nobody has this one');
        await passwords.verify({ hash: await nobodys, password });
      }
      return undefined;
    },
  };
}
