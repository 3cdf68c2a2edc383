import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { credentials } from './secret-input.ts';

const input = (...pieces: string[]) => Readable.from(pieces.map((piece) => Buffer.from(piece)));

test('a dash stands for the lines of standard input', async () => {
  expect(await credentials(['-'], input('sk-', 'one\n'))).toEqual(['sk-one']);
  expect(await credentials(['${A}', '-'], input('sk-one\r\n\n sk-two'))).toEqual(['${A}', 'sk-one', 'sk-two']);
});

test('references need no input', async () => {
  expect(await credentials(['${A}'], input())).toEqual(['${A}']);
});

test('a literal is refused and not repeated', async () => {
  await expect(credentials(['sk-canary'], input())).rejects.toMatchObject({
    exitCode: 2,
    message: expect.not.stringContaining('canary'),
    next: expect.not.stringContaining('canary'),
  });
});

test('an empty or endless input is refused', async () => {
  await expect(credentials(['-'], input('\n'))).rejects.toThrow('Standard input is empty.');
  await expect(credentials(['-'], input('x'.repeat(70_000)))).rejects.toThrow(
    'Standard input is too long for keys: it has more than 65536 bytes.',
  );
});
