import { type SignUp, signUpsOf } from '../accounts/sign-ups.ts';
import type { LibraryAnswer } from './identity.ts';
import type { ConsoleParts } from './parts.ts';
import type { Passwords } from './passwords.ts';

/** Those who signed up and have not answered their letter. */
export interface PendingSignUps {
  /** The one of an address that was made with this password. Nobody where there is no mail: then nobody waits. */
  find(email: string, password: string): Promise<SignUp | undefined>;
}

const emptyAnswer = { body: undefined, headers: [], location: undefined } as const;

/** What a proof comes to that the library was not asked about. */
export const acceptedAnswer: LibraryAnswer = { status: 200, code: undefined, ...emptyAnswer };
export const refusedAnswer: LibraryAnswer = { status: 401, code: 'REFUSED', ...emptyAnswer };
/**
 * Somebody signed up with this address and password, and has to answer their letter. It counts as a wrong guess: anybody can sign
 * up with somebody else's address, and must not wipe out what is counted against guesses of the real password.
 */
export const unconfirmedAnswer: LibraryAnswer = { status: 401, code: 'TO_CONFIRM', ...emptyAnswer };

export function pendingSignUps(parts: ConsoleParts, passwords: Passwords): PendingSignUps {
  let dummyHash: Promise<string> | undefined;
  return {
    async find(email, password) {
      if (!parts.mail.settings) return undefined;
      const signUps = await signUpsOf(parts, email);
      for (const signUp of signUps) {
        if (await passwords.verify({ hash: signUp.passwordHash, password })) return signUp;
      }
      // It takes as long for an address that nobody signed up with.
      if (signUps.length === 0) {
        dummyHash ??= passwords.hash('no user has this password');
        await passwords.verify({ hash: await dummyHash, password });
      }
      return undefined;
    },
  };
}
