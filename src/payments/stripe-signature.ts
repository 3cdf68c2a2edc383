import { createHmac, timingSafeEqual } from 'node:crypto';

/** An older webhook may be a replay attack. */
const toleranceSeconds = 300;
/** There are two signatures while a secret is rotated. More than this are ignored. */
const signaturesMax = 10;

/** Whether the body has a valid signature with a recent timestamp. */
export function isSigned(
  body: Buffer,
  header: string,
  { secret, now }: { readonly secret: string; readonly now: number },
): boolean {
  const pairs = header.split(',').map((pair) => pair.trim().split('=', 2));
  const time = pairs.find(([name]) => name === 't')?.[1] ?? '';
  if (!/^\d{1,12}$/.test(time) || Math.abs(now / 1000 - Number(time)) > toleranceSeconds) return false;
  const expected = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
  return pairs
    .filter(([name]) => name === 'v1')
    .slice(0, signaturesMax)
    .some(([, hex = '']) => {
      const given = Buffer.from(hex, 'hex');
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
}
