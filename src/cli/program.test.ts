import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { run } from './program.ts';

let printed: string;
beforeEach(() => {
  printed = '';
  const print = (text: string | Uint8Array) => (printed += String(text)) !== '';
  vi.spyOn(process.stdout, 'write').mockImplementation(print);
  vi.spyOn(process.stderr, 'write').mockImplementation(print);
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
