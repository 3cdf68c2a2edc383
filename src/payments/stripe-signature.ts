import { createHmac, timingSafeEqual } from 'node:crypto';

/** A webhook that is older than this was recorded by someone and is played again. */
const toleranceSeconds = 300;
/** While a secret is replaced there are two; more is nonsense. */
const signaturesMax = 10;

/** Whether the bytes are signed by whoever has the secret, and were so just now. */
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
