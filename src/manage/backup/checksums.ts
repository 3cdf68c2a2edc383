import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** In the format of `sha256sum --check`, so that a backup can be checked without a gateway. */
export const sumsFile = 'SHA256SUMS';

export async function writeSums(folder: string, names: readonly string[]): Promise<void> {
  const lines: string[] = [];
  for (const name of names) lines.push(`${await sumOf(join(folder, name))}  ${name}\n`);
  await writeFile(join(folder, sumsFile), lines.join(''), { mode: 0o600 });
}

/** The names of the files listed in the folder's checksums. Throws at the first file that differs from its checksum. */
export async function verifyFiles(folder: string): Promise<readonly string[]> {
  const text = await readFile(join(folder, sumsFile), 'utf8');
  const lines = text.split('\n').filter((line) => line !== '');
  const names: string[] = [];
  for (const line of lines) {
    const [, sum, name] = /^([0-9a-f]{64}) {2}((?:journal\/)?[\w.-]+)$/.exec(line) ?? [];
    if (sum === undefined || name === undefined) throw new Error(`${sumsFile} has an invalid line: ${line}`);
    if ((await sumOf(join(folder, name))) !== sum) throw new Error(`${name} does not match its checksum`);
    names.push(name);
  }
  return names;
}

async function sumOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
