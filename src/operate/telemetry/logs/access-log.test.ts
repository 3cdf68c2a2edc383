import { expect, test } from 'vitest';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { HttpFault } from '../../../serving/http/fault.ts';
import type { ExchangeSummary } from '../../../serving/http/server-options.ts';
import { accessLog } from './access-log.ts';
import type { Log } from './log.ts';
import { recordWith } from '../../../../test/fixtures/requests/record.ts';
import type { RequestRecord } from '../../../money/requests/request-record.ts';
import { requestLineNames } from './log-names.ts';

const exchange = {
  id: 'r1',
  method: 'POST',
  path: '/v1/x',
  address: '::1',
  status: 200,
  durationMs: 1.6,
  clientGone: false,
};

/** Returns the level and the line that an exchange is logged with. */
function logged(
  done: Partial<ExchangeSummary>,
  record?: RequestRecord,
): readonly [level: string, line: Record<string, unknown>] {
  const lines: [string, Record<string, unknown>][] = [];
  const taking = (level: string) => (line: Record<string, unknown>) => void lines.push([level, line]);
  const log = { debug: taking('debug'), info: taking('info'), error: taking('error') } as unknown as Log;
  const settings = { quietPaths: new Set(['/healthz']), share: 0 };
  accessLog(log, { ...settings, share: 1 })({ ...exchange, error: undefined, ...done }, record);
  expect(lines).toHaveLength(1);
  // Only lines of successful requests may be left out.
  accessLog(log, settings)({ ...exchange, error: undefined, ...done }, record);
  const isSuccess = done.path !== '/healthz' && (done.status ?? 200) === 200 && !done.error && !done.clientGone;
  expect(lines).toHaveLength(isSuccess ? 1 : 2);
  return lines[0]!;
}

const upstreamFailed = new GatewayError('upstream-failed', { cause: new Error('socket hang up') });

test('a successful request is logged as info', () => {
  expect(logged({})).toEqual(['info', { id: 'r1', method: 'POST', path: '/v1/x', address: '::1', status: 200, ms: 2 }]);
});

test('a failure is logged with its case and cause, regardless of the status that was sent', () => {
  for (const status of [502, 200]) {
    const [level, line] = logged({ status, error: upstreamFailed });
    expect([level, line]).toMatchObject(['error', { status, case: 'upstream-failed', cause: 'socket hang up' }]);
  }
});

test('an unexpected error is logged as an internal error with its stack', () => {
  const [level, line] = logged({ error: new TypeError('no such thing') });
  expect([level, line]).toMatchObject(['error', { case: 'internal-error', cause: expect.stringContaining('at ') }]);
});

test.each([
  [new GatewayError('key-revoked'), 'key-revoked'],
  [new HttpFault('not-found'), 'not-found'],
  [new GatewayError('invalid-request'), 'invalid-request'],
])('a refusal is logged as info: %s', (error, name) => {
  expect(logged({ error })).toMatchObject(['info', { case: name }]);
});

test('a client disconnect is not logged as an error', () => {
  expect(logged({ clientGone: true, error: upstreamFailed })).toMatchObject(['info', { gone: true }]);
  expect(logged({ status: 0, clientGone: true, error: new DOMException('left', 'AbortError') })).toMatchObject([
    'info',
    { status: 0, gone: true },
  ]);
});

test('a probe is logged as debug, and the log contains no secrets', () => {
  expect(logged({ path: '/healthz', status: 503 })[0]).toBe('debug');
  expect(logged({ path: '/invitation/gwl_abc123' })[1]).toMatchObject({ path: '/invitation/gwl_…' });
  expect(logged({ path: '/v1/models/sk-or-v1-3fA' })[1]).toMatchObject({ path: '/v1/models/sk-…' });
  const noEndpoint = { error: new HttpFault('not-found'), status: 404 };
  expect(logged({ path: `/v1/a1B2${'c3D4'.repeat(11)}`, ...noEndpoint })[1]).toMatchObject({ path: '/v1/a1B2…' });
  expect(logged({ path: '/api/v3/chat/completions', ...noEndpoint })[1]).toMatchObject({
    path: '/api/v3/chat/completions',
  });
});

test('a complete line has the names of the table, in its order', () => {
  const record = recordWith({ id: 'r1', packageName: 'standard', waitMs: 5 });
  const [, line] = logged({ status: 502, clientGone: true, error: upstreamFailed }, record);
  expect(Object.keys(line)).toEqual(Object.keys(requestLineNames));
  expect(line).toMatchObject({ model: 'acme-2026', input_tokens: 10, output_tokens: 5, wait_ms: 5 });
});
