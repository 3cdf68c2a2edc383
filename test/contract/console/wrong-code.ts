import { totpCode } from '../../fakes/totp.ts';

const stepMs = 30_000;

/** A code that is invalid for the secret from 5 minutes before now until 5 minutes after now. */
export function wrongCode(secret: string): string {
  const around = Array.from({ length: 21 }, (_, index) => totpCode(secret, Date.now() + (index - 10) * stepMs));
  return Array.from({ length: 22 }, (_, index) => String(index).padStart(6, '0')).find(
    (code) => !around.includes(code),
  )!;
}
