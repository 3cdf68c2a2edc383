import { totpCode } from '../../totp.ts';

const stepMs = 30_000;

/** Six digits that no authenticator shows for the secret from five minutes ago until in five minutes. */
export function wrongCode(secret: string): string {
  const around = Array.from({ length: 21 }, (_, index) => totpCode(secret, Date.now() + (index - 10) * stepMs));
  return Array.from({ length: 22 }, (_, index) => String(index).padStart(6, '0')).find(
    (code) => !around.includes(code),
  )!;
}
