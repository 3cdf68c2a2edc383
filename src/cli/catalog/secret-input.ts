import type { Readable } from 'node:stream';
import { isReference } from '../../platform/config/environment.ts';
import { CliError } from '../terminal/output.ts';

const inputBytesMax = 64 * 1024;

/**
 * Resolves the values of `--api-key`: references stay unchanged, `-` becomes the lines of standard input. Throws for a
 * literal secret, because every user of the machine can read a command line.
 */
export async function credentials(
  given: readonly string[],
  input: Readable & { isTTY?: boolean } = process.stdin,
): Promise<readonly string[]> {
  if (given.some((text) => text !== '-' && !isReference(text))) {
    throw new CliError('secret_in_api_key', {}, { exitCode: 2 });
  }
  const read = given.includes('-') ? await secretLines(input) : [];
  return [...given.filter((text) => text !== '-'), ...read];
}

export async function secretLines(input: Readable & { isTTY?: boolean } = process.stdin): Promise<readonly string[]> {
  if (input.isTTY) console.error('Paste the keys, one per line, then press Ctrl-D:');
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of input) {
    pieces.push(Buffer.from(piece as Buffer));
    bytes += (piece as Buffer).length;
    if (bytes > inputBytesMax) throw new CliError('stdin_too_long', { max: inputBytesMax });
  }
  const found = Buffer.concat(pieces)
    .toString('utf8')
    .split('\n')
    .map((line) => line.trim());
  const keys = found.filter((line) => line !== '');
  if (keys.length === 0) throw new CliError('stdin_empty');
  return keys;
}
