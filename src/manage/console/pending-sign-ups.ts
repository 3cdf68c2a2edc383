import { type SignUp, signUpsOf } from '../../money/accounts/sign-ups.ts';
import type { LibraryAnswer } from './identity.ts';
import type { ConsoleParts } from './parts.ts';
import type { Passwords } from './passwords.ts';

const emptyAnswer = { body: undefined, headers: [], location: undefined } as const;

export const acceptedAnswer: LibraryAnswer = { status: 200, code: undefined, ...emptyAnswer };
export const refusedAnswer: LibraryAnswer = { status: 401, code: 'REFUSED', ...emptyAnswer };
/**
 * The address and password match a pending sign-up, which has to be confirmed. It counts as a failure: an attacker can
 * sign up with the address of another user, and must not reset the failures that are counted for that user's password.
 */
export const unconfirmedAnswer: LibraryAnswer = { status: 401, code: 'TO_CONFIRM', ...emptyAnswer };

export type FindPendingSignUp = ReturnType<typeof pendingSignUps>;

/** Finds the unconfirmed sign-up with an address and password. Finds none without a mail server. */
export function pendingSignUps(parts: ConsoleParts, passwords: Passwords) {
  let dummyHash: Promise<string> | undefined;
  return async (email: string, password: string): Promise<SignUp | undefined> => {
    if (!parts.mail.settings) return undefined;
    const signUps = await signUpsOf(parts, email);
    for (const signUp of signUps) {
      if (await passwords.verify({ hash: signUp.passwordHash, password })) return signUp;
    }
    // An address without a pending sign-up takes as long, so the time reveals nothing.
    if (signUps.length === 0) {
      dummyHash ??= passwords.hash('no user has this password');
      await passwords.verify({ hash: await dummyHash, password });
    }
    return undefined;
  };
}
