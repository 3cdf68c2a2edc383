import { vi } from 'vitest';
import { run } from '../../src/cli/program.ts';

/** The output and exit status of a command. */
export interface CommandOutcome {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs one command line of `chat-gateway` in this process. */
export async function command(...words: readonly string[]): Promise<CommandOutcome> {
  const printed = { out: '', err: '' };
  const log = vi.spyOn(console, 'log').mockImplementation((text: string) => void (printed.out += `${text}\n`));
  const error = vi.spyOn(console, 'error').mockImplementation((text: string) => void (printed.err += `${text}\n`));
  try {
    return { status: await run(['node', 'chat-gateway', ...words]), ...printed };
  } finally {
    log.mockRestore();
    error.mockRestore();
    process.exitCode = undefined;
  }
}
