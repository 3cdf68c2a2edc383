import { expect, test } from 'vitest';
import { redactor } from './redaction.ts';
import { refusal } from './refusal.ts';

const from = { upstream: 'acme', redact: redactor(['hidden/word']) };

test('a refusal has the code of the provider and keeps its text for the log', () => {
  const error = refusal(from, 400, '{"error":{"code":"too_long","message":"hidden/word is too long"}}');
  expect(error).toMatchObject({ case: 'upstream-rejected', code: 'too_long' });
  expect((error.cause as Error).message).toContain('[redacted] is too long');
});

test('a secret is recognised in every JSON encoding', () => {
  for (const written of ['hidden\\/word', '\\u0068idden/word']) {
    const error = refusal(from, 500, `{"error":{"message":"${written}"}}`);
    expect((error.cause as Error).message).toBe('upstream acme answered 500: {"error":{"message":"[redacted]"}}');
  }
});

test('a secret does not reach the client as a code', () => {
  const keeping = { upstream: 'acme', redact: redactor(['hiddenword']) };
  for (const code of ['hiddenword', '\\u0068iddenword']) {
    expect(refusal(keeping, 400, `{"error":{"code":"${code}"}}`).code).toBeUndefined();
  }
});

test('text that is not JSON is kept unchanged, and deep nesting does not throw', () => {
  expect((refusal(from, 500, '<h1>oops</h1>').cause as Error).message).toContain('<h1>oops</h1>');
  const deep = '['.repeat(30_000) + ']'.repeat(30_000);
  expect(refusal(from, 500, deep).case).toBe('upstream-failed');
});

test.each([
  [{ error: { message: 'x', type: 'invalid_request_error', code: null } }, 'invalid_request_error'],
  [{ error: { message: 'x', code: 'a sentence, not a code' } }, undefined],
  [{ error: 'just text' }, undefined],
  [{ object: 'error', message: 'x', type: 'bad_thing', code: 3051 }, 'bad_thing'],
  [[{ error: { code: 400, message: 'x', type: 'listed' } }], 'listed'],
  ['not an object', undefined],
  [null, undefined],
])('400 with %j has the code %s', (wire, code) => {
  expect(refusal(from, 400, JSON.stringify(wire))).toMatchObject({ case: 'upstream-rejected', code });
});
