import { createHmac } from 'node:crypto';

/**
 * Proves the sender and the time of a body: `t=<seconds>,v1=<hex>`, the HMAC-SHA256 of `<seconds>.<body>` with the
 * secret of the endpoint. While two secrets are valid there is a `v1` for each, the newer one first.
 */
export function signature(body: string, secrets: readonly string[], atMs: number): string {
  const seconds = Math.floor(atMs / 1000);
  const proofs = secrets.map(
    (secret) => `v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`,
  );
  return [`t=${seconds}`, ...proofs].join(',');
}
