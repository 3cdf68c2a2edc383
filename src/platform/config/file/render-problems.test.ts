import { expect, test } from 'vitest';
import { broken } from 'chat-formats/reasons/reason.ts';
import { renderProblems } from './render-problems.ts';

const problem = { line: 2, column: 9, path: 'listen.port', ...broken('not_a_whole_number'), fix: 'Write one.' };

test('a problem is marked in its line', () => {
  expect(renderProblems([problem], 'listen:\n  port: x\n', 'gateway.yaml')).toBe(
    [
      'gateway.yaml:2:9: listen.port must be a whole number',
      ' 2 |   port: x',
      '   |         ^',
      '   = fix: Write one.',
    ].join('\n'),
  );
});

test('a problem of the whole file is shown without a line', () => {
  expect(renderProblems([{ ...problem, line: 1, column: 1, path: '' }], '', 'gateway.yaml')).toBe(
    'gateway.yaml:1:1: must be a whole number\n   = fix: Write one.',
  );
});

test('a secret in the line is hidden, and a reference is shown', () => {
  const shown = (line: string) => renderProblems([{ ...problem, line: 1 }], line);
  expect(shown('    api_key: sk-canary')).not.toContain('canary');
  expect(shown("- { name: a, api_keys: ['a', 'sk-canary'] }")).not.toContain('canary');
  expect(shown('database: postgres://user:canary@host/db')).not.toContain('canary');
  expect(shown('    api_keys: ["${A}", sk-canary]')).not.toContain('canary');
  expect(shown('    api_key: ${ACME_KEY}')).toContain('${ACME_KEY}');
  expect(shown('    api_keys: ["${A}", "${B}"]   # in turn')).toContain('"${B}"');
});

test('a long line is truncated, and the mark stays inside', () => {
  const lines = renderProblems([{ ...problem, line: 1, column: 5000 }], 'x'.repeat(9000)).split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(130);
});
