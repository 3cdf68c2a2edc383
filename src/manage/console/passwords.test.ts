import { createHash, scryptSync } from 'node:crypto';
import { hashSync } from 'bcryptjs';
import { expect, test } from 'vitest';
import { foreignPasswordHash } from '../../money/accounts/foreign-passwords.ts';
import { hashesWaitingMax, passwords } from './passwords.ts';

test('a hash matches only its password and contains its parameters', async () => {
  const { hash, verify } = passwords();
  const made = await hash('correct horse');
  expect(made).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(await verify({ hash: made, password: 'correct horse' })).toBe(true);
  expect(await verify({ hash: made, password: 'correct horsf' })).toBe(false);
  expect(await hash('correct horse')).not.toBe(made);
});

test('two Unicode forms of the same letter are the same password', async () => {
  const { hash, verify } = passwords();
  expect(await verify({ hash: await hash('caf\u00e9 au lait'), password: 'cafe\u0301 au lait' })).toBe(true);
});

test.each(['', 'plain', '$argon2id$v=19$m=19456,t=2,p=1$', '$argon2i$v=19$m=19456,t=2,p=1$AAAA$AAAA'])(
  'the malformed hash %j matches no password',
  async (hash) => {
    expect(await passwords().verify({ hash, password: '' })).toBe(false);
  },
);

test('all concurrent hashes are computed', async () => {
  const { hash } = passwords();
  const made = await Promise.all(Array.from({ length: 6 }, () => hash('x')));
  expect(new Set(made).size).toBe(6);
});

test('a hash of another cost matches only its password', async () => {
  const made = await passwords({ memory: 8, passes: 1 }).hash('correct horse');
  expect(made).toMatch(/^\$argon2id\$v=19\$m=8,t=1,p=1\$/);
  expect(await passwords().verify({ hash: made, password: 'correct horse' })).toBe(true);
  expect(await passwords().verify({ hash: made, password: 'correct horsf' })).toBe(false);
});

test('a hash beyond the queue limit is rejected as overloaded, and the queued ones are computed', async () => {
  const { hash } = passwords({ memory: 8, passes: 1 });
  const made = await Promise.allSettled(Array.from({ length: hashesWaitingMax + 12 }, () => hash('x')));
  const refused = made.filter((each) => each.status === 'rejected');
  expect(refused).toHaveLength(10);
  for (const { reason } of refused) expect(reason).toMatchObject({ case: 'overloaded' });
});

const salt = Buffer.alloc(16, 7);
const scryptHash = Buffer.concat([salt, scryptSync('correct horse', salt, 32, { N: 16_384, r: 8, p: 1 })]).toString(
  'base64',
);

test.each([
  ['bcrypt', hashSync('correct horse', 4)],
  ['scrypt-16384', scryptHash],
  ['sha256', createHash('sha256').update('correct horse').digest('hex')],
] as const)('a password that another product hashed with %s is right once, and hashed again', async (form, hash) => {
  const renewed: string[][] = [];
  const { verify } = passwords(undefined, (before, after) => Promise.resolve(void renewed.push([before, after])));
  const stored = foreignPasswordHash(form, hash)!;
  expect(await verify({ hash: stored, password: 'correct horsf' })).toBe(false);
  expect(renewed).toEqual([]);
  expect(await verify({ hash: stored, password: 'correct horse' })).toBe(true);
  expect(renewed).toEqual([[stored, expect.stringMatching(/^\$argon2id/)]]);
  expect(await verify({ hash: renewed[0]?.[1] ?? '', password: 'correct horse' })).toBe(true);
});

test.each(['15', '31', '99'])('an imported bcrypt hash of cost %s is never calculated', async (cost) => {
  const hash = hashSync('correct horse', 4).replace('$04$', `$${cost}$`);
  expect(foreignPasswordHash('bcrypt', hash)).toBeUndefined();
  expect(await passwords().verify({ hash: `imported:bcrypt:${hash}`, password: 'correct horse' })).toBe(false);
});

test.each(['imported:bcrypt:x', 'imported:scrypt-16384:AAAA', 'imported:sha256:', 'imported:md5:00', 'imported:'])(
  'the malformed imported hash %j matches no password',
  async (hash) => {
    expect(await passwords().verify({ hash, password: '' })).toBe(false);
  },
);
