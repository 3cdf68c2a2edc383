import { createSecretKey, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSealed, secretVault } from './secret-vault.ts';

const gatewaySecret = createSecretKey(randomBytes(32));
const vault = secretVault(gatewaySecret);

test('any sealed text can be opened again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (secret, owner) => {
      const record = vault.seal(owner, secret);
      expect(isSealed(record)).toBe(true);
      expect(secretVault(gatewaySecret).open(owner, record)).toEqual({ ok: true, secret });
    }),
  );
});

test('a record reveals nothing about its secret, not even whether two secrets are equal', () => {
  const [one, two] = [vault.seal('acme', 'sk-canary-0000'), vault.seal('acme', 'sk-canary-0000')];
  expect(one).toMatch(/^enc:v1:[0-9a-f]{8}:[\w-]{16}:[\w-]+$/);
  expect(one).not.toBe(two);
  expect(Buffer.from(one.split(':').at(-1)!, 'base64url').toString('latin1')).not.toContain('canary');
});

test('a record of another gateway is distinguished from a damaged one', () => {
  const other = secretVault(createSecretKey(randomBytes(32)));
  expect(other.open('acme', vault.seal('acme', 'x'))).toEqual({ ok: false, reason: 'foreign' });
});

test('a vault opens records of former secrets and seals with the current one', () => {
  const former = createSecretKey(randomBytes(32));
  const both = secretVault(Object.assign(createSecretKey(randomBytes(32)), { others: [former] }));
  const record = secretVault(former).seal('acme', 'x');
  expect(both.open('acme', record)).toEqual({ ok: true, secret: 'x' });
  expect(both.formerBeginnings.some((each) => record.startsWith(each))).toBe(true);
  const renewed = both.seal('acme', 'x');
  expect(renewed.startsWith(both.beginning)).toBe(true);
  expect(both.open('acme', renewed)).toEqual({ ok: true, secret: 'x' });
  expect(secretVault(former).open('acme', renewed)).toEqual({ ok: false, reason: 'foreign' });
});

test('a record does not open for another owner', () => {
  expect(vault.open('evil', vault.seal('acme', 'x'))).toEqual({ ok: false, reason: 'damaged' });
});

test('a record that was changed or truncated does not open', () => {
  const record = vault.seal('acme', 'a secret of some length');
  const [, , id, nonce = '', sealed = ''] = record.split(':');
  const flipped = (text: string): string => {
    const bytes = Buffer.from(text, 'base64url');
    bytes[0]! ^= 1;
    return bytes.toString('base64url');
  };
  for (const changed of [
    `enc:v1:${id}:${flipped(nonce)}:${sealed}`,
    `enc:v1:${id}:${nonce}:${flipped(sealed)}`,
    `enc:v1:${id}:${nonce}:${sealed.slice(0, -4)}`,
    `enc:v1:${id}:${nonce}:`,
    `enc:v1:${id}`,
  ]) {
    expect(vault.open('acme', changed)).toEqual({ ok: false, reason: 'damaged' });
  }
});
