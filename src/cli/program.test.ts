import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { run } from './program.ts';

let printed: string;
beforeEach(() => {
  printed = '';
  const print = (text: string | Uint8Array) => (printed += String(text)) !== '';
  vi.spyOn(process.stdout, 'write').mockImplementation(print);
  vi.spyOn(process.stderr, 'write').mockImplementation(print);
  vi.spyOn(console, 'error').mockImplementation(print);
});
afterEach(() => {
  vi.restoreAllMocks();
});

test('each command in the help loads when only it is named', async () => {
  expect(await run(['node', 'chat-gateway', '--help'])).toBe(0);
  const names = [...printed.matchAll(/^ {2}([a-z][a-z-]*) (?=[^\n]* {2})/gm)].map(([, name = '']) => name);
  expect(names).toContain('serve');
  expect(names).toContain('account-tokens');
  for (const name of names) expect([name, await run(['node', 'chat-gateway', name, '--help'])]).toEqual([name, 0]);
});

test('an unknown command is rejected with a suggestion from all commands', async () => {
  expect(await run(['node', 'chat-gateway', 'account-token'])).toBe(2);
  expect(printed).toContain('Did you mean account-tokens?');
});

test.each([
  ['nonsense --help', "unknown command 'nonsense'"],
  ['--data /tmp nonsense --help', "unknown command 'nonsense'"],
  ['keys nonsense --help', "unknown command 'nonsense'"],
  ['account-token --help', 'Did you mean account-tokens?'],
])('%s is an error, although it asks for help', async (line, problem) => {
  expect(await run(['node', 'chat-gateway', ...line.split(' ')])).toBe(2);
  expect(printed).toContain(problem);
});

test.each([
  ['keys list --bogus --json', "unknown option '--bogus'"],
  ['--json nonsense', "unknown command 'nonsense'"],
  ['account-token --json', "unknown command 'account-token' (Did you mean account-tokens?)"],
  ['keys list --json --data', "option '--data <folder>' argument missing"],
  ['keys --json', 'a command is missing'],
  ['store copy --json', "required option '--to <address>' not specified"],
  ['keys show --json', "missing required argument 'key'"],
  ['conform localhost --key k --json', "command-argument value 'localhost' is invalid for argument 'base-url'."],
])('%s is an error in JSON', async (line, problem) => {
  expect(await run(['node', 'chat-gateway', ...line.split(' ')])).toBe(2);
  expect(JSON.parse(printed)).toEqual({
    error: {
      message: expect.stringContaining(`The command line is wrong: ${problem}`),
      next: 'Add --help to see the commands and the options.',
      reason: 'invalid_command_line',
      params: { problem: expect.stringContaining(problem) },
    },
  });
});

test('the --json of another program does not change the form of an error', async () => {
  expect(await run(['node', 'chat-gateway', 'keys', 'list', '--bogus', '--', '--json'])).toBe(2);
  expect(printed).toContain("error: unknown option '--bogus'\n(see --help)");
});
