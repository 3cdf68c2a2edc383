import { expect, test } from 'vitest';
import type { Exchange } from './exchange.ts';
import { HttpFault } from './fault.ts';
import { type Route, RouteTable } from './route.ts';

/** Runs one request. Returns the path of its route and the parameters, or the fault. */
function result(lines: readonly string[], method: string, path: string): unknown {
  let found: unknown;
  const routes = lines.map((line): Route => {
    const [routeMethod = '', routePath = ''] = line.split(' ');
    const handle: Route['handle'] = (_exchange, parameters) => void (found = { line, ...parameters });
    return { method: routeMethod as Route['method'], path: routePath, handle };
  });
  const fail = (error: unknown): void => void (found = error);
  new RouteTable(routes).run({ method, path, fail } as unknown as Exchange);
  return found instanceof HttpFault ? { kind: found.kind, headers: found.headers } : found;
}

const lines = [
  'GET /things/*rest',
  'GET /things/:id',
  'DELETE /things/:id',
  'GET /things/:id/parts',
  'GET /things/new/:part',
  'POST /things/new',
];

test.each([
  ['GET', '/things/a', { line: 'GET /things/:id', id: 'a' }],
  ['HEAD', '/things/a', { line: 'GET /things/:id', id: 'a' }],
  ['GET', '/things/new', { line: 'GET /things/:id', id: 'new' }],
  ['POST', '/things/new', { line: 'POST /things/new' }],
  ['GET', '/things/a/parts', { line: 'GET /things/:id/parts', id: 'a' }],
  ['GET', '/things/new/parts', { line: 'GET /things/new/:part', part: 'parts' }],
  ['GET', '/things/a/b', { line: 'GET /things/*rest', rest: 'a/b' }],
])('%s %s runs the route with the most fixed segments at the start', (method, path, expected) => {
  expect(result(lines, method, path)).toEqual(expected);
});

test('a fixed segment may be percent-encoded', () => {
  expect(result(['GET /v1/models'], 'GET', '/v1/%6dodels')).toEqual({ line: 'GET /v1/models' });
  expect(result(['GET /v1/models'], 'GET', '/v1%2Fmodels')).toMatchObject({ kind: 'not-found' });
});

test('a parameter is at most 300 decoded characters long', () => {
  const id = '%C3%A9'.repeat(300);
  expect(result(['GET /things/:id'], 'GET', `/things/${id}`)).toMatchObject({ id: 'é'.repeat(300) });
  expect(result(['GET /things/:id'], 'GET', `/things/${id}a`)).toMatchObject({ kind: 'not-found' });
});

test('the path of a parameter is no path itself', () => {
  expect(result(['GET /things/:id'], 'GET', '/things/:id')).toEqual({ line: 'GET /things/:id', id: ':id' });
});

test('a wrong method gets the methods of the path that matches first', () => {
  const refusal = (allowed: string): unknown => ({ kind: 'method-not-allowed', headers: ['allow', allowed] });
  expect(result(lines, 'PUT', '/things/new')).toEqual(refusal('POST, OPTIONS'));
  expect(result(lines, 'PUT', '/things/a')).toEqual(refusal('GET, DELETE, HEAD, OPTIONS'));
});

test.each(['GET', 'PUT', 'BREW'])('%s with an invalid percent-encoding is a bad request', (method) => {
  expect(result(lines, method, '/things/%zz')).toMatchObject({ kind: 'bad-request' });
});

test.each([
  [['GET /a', 'GET /a'], 'GET /a'],
  [['GET /a/:id', 'GET /a/:name'], 'GET /a/:name'],
])('two routes for %j are rejected', (twice, named) => {
  expect(() => result(twice, 'GET', '/')).toThrow(`Two routes answer ${named}.`);
});
