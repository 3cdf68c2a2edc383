import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { credentials } from './secret-input.ts';

const input = (...pieces: string[]) => Readable.from(pieces.map((piece) => Buffer.from(piece)));

test('a dash is replaced with the lines of standard input', async () => {
  expect(await credentials(['-'], input('sk-', 'one\n'))).toEqual(['sk-one']);
  expect(await credentials(['${A}', '-'], input('sk-one\r\n\n sk-two'))).toEqual(['${A}', 'sk-one', 'sk-two']);
});

test('references do not read standard input', async () => {
  expect(await credentials(['${A}'], input())).toEqual(['${A}']);
});

test('a literal secret is rejected and not printed', async () => {
  await expect(credentials(['sk-canary'], input())).rejects.toMatchObject({
    exitCode: 2,
    message: expect.not.stringContaining('canary'),
    next: expect.not.stringContaining('canary'),
  });
});

test('an empty or too long input is rejected', async () => {
  await expect(credentials(['-'], input('\n'))).rejects.toThrow('Standard input is empty.');
  await expect(credentials(['-'], input('x'.repeat(70_000)))).rejects.toThrow(
    'Standard input is too long for keys: it has more than 65536 bytes.',
  );
});
