import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** As `sha256sum --check` reads it, so that a backup can be checked where there is no gateway. */
export const sumsFile = 'SHA256SUMS';

export async function writeSums(folder: string, names: readonly string[]): Promise<void> {
  const lines: string[] = [];
  for (const name of names) lines.push(`${await sumOf(join(folder, name))}  ${name}\n`);
  await writeFile(join(folder, sumsFile), lines.join(''), { mode: 0o600 });
}

/** The files a folder should have, by name; throws on the first that is not as it was written. */
export async function checkedFiles(folder: string): Promise<readonly string[]> {
  const text = await readFile(join(folder, sumsFile), 'utf8');
  const lines = text.split('\n').filter((line) => line !== '');
  const names: string[] = [];
  for (const line of lines) {
    const [, sum, name] = /^([0-9a-f]{64}) {2}((?:journal\/)?[\w.-]+)$/.exec(line) ?? [];
    if (sum === undefined || name === undefined) throw new Error(`${sumsFile} has a line that is none: ${line}`);
    if ((await sumOf(join(folder, name))) !== sum) throw new Error(`${name} is not as it was written`);
    names.push(name);
  }
  return names;
}

async function sumOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
