import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const faults = globSync('docs/faults/*.md').map((page) => basename(page, '.md'));
// Without root, a run would use the ports of this machine, and could not fill a disk of its own.
const isRoot = process.getuid?.() === 0;

test('there are pages of faults', () => expect(faults.length).toBeGreaterThan(3));

test.skipIf(!isRoot).each([['start'], ...faults.map((page) => ['faults', page])])(
  'the commands of the documentation run and print what it says: %s %s',
  async (...words) => {
    const program = promisify(execFile)(process.execPath, ['scripts/handbook.ts', ...words], { maxBuffer: 1e8 });
    const { stdout } = await program.catch(({ stdout: text, stderr }: { stdout: string; stderr: string }) => {
      throw new Error(`${text.slice(-4_000)}\n${stderr}`);
    });
    expect(stdout).toMatch(/All \d+ blocks of .* ran\.\n$/);
  },
);
