import { afterEach, expect, test, vi } from 'vitest';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { reason } from 'chat-formats/reasons/reason.ts';
import { CliError, reportFailure } from './output.ts';
import { cliReasons } from './reasons.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('an error has the texts of its row, with values for the names in braces', () => {
  const error = new CliError('key_ambiguous', { key: 'laptop', count: 2, ids: 'k1, k2' });
  expect(error).toMatchObject({
    message: '"laptop" matches 2 keys.',
    next: 'Pass one of these IDs: k1, k2',
    reason: 'key_ambiguous',
    params: { key: 'laptop', count: 2, ids: 'k1, k2' },
    exitCode: 1,
  });
});

test('a value that looks like a name in braces is not replaced again', () => {
  const { message } = new CliError('invalid_duration', { value: '{problem}', problem: 'is too long' });
  expect(message).toBe('"{problem}" is too long.');
});

test('references to the environment stay unchanged', () => {
  expect(new CliError('secret_in_setting', { field: 'token' }).next).toContain("--set 'token=${NAME}'");
});

test('an error requires exactly the values that its row names', () => {
  // @ts-expect-error: the value is missing.
  expect(new CliError('key_not_found').message).toBe('There is no key "{key}".');
  // @ts-expect-error: the value of its next step is missing.
  expect(new CliError('key_ambiguous', { key: 'laptop', count: 2 }).next).toBe('Pass one of these IDs: {ids}');
  // @ts-expect-error: the row does not name this value.
  expect(new CliError('key_not_found', { key: 'x', account: 'demo' }).message).toBe('There is no key "x".');
  // @ts-expect-error: the row names no values.
  expect(new CliError('stdin_empty', { key: 'laptop' }).message).toBe('Standard input is empty.');
  // @ts-expect-error: the reason is not in the table.
  expect(() => new CliError('out_of_luck')).toThrow(TypeError);
});

test.each(Object.entries<{ text: string; next?: string }>(cliReasons))(
  'the reason %s is snake_case and has complete sentences',
  (code, row) => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)+$/);
    expect(row.text).toMatch(/[.}]$/);
    expect(row.next ?? 'Nothing.').toMatch(/^[A-Z`{]/);
  },
);

test.each([
  ['a reason of its own', new GatewayError('not-found', { reason: reason('key_not_found') }), 'key_not_found'],
  ['only a case', new GatewayError('invalid-request', { detail: 'No.' }), 'invalid_request'],
  ['neither', new TypeError('x is not a function'), 'internal_error'],
  ['no error at all', 'broken', 'internal_error'],
])('a failure with %s has a reason in JSON', (_case, error, code) => {
  const printed = vi.spyOn(console, 'error').mockReturnValue();
  expect(reportFailure(error, true)).toBe(1);
  const message = error instanceof Error ? error.message : error;
  expect(JSON.parse(String(printed.mock.calls[0]?.[0]))).toEqual({
    error: { message, next: null, reason: code, params: {} },
  });
});
