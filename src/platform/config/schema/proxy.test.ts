import { expect, test } from 'vitest';
import { environmentProxies } from './proxy.ts';

const proxies = { HTTPS_PROXY: 'http://secure:1', HTTP_PROXY: 'http://plain:2' };

function proxyFor(address: string, env: Record<string, string>): string | undefined {
  return environmentProxies(env)(new URL(address));
}

test('without variables, or with empty ones, there is no proxy', () => {
  expect(proxyFor('https://api.example/v1', {})).toBeUndefined();
  expect(proxyFor('https://api.example/v1', { HTTPS_PROXY: '', https_proxy: ' ' })).toBeUndefined();
});

test('each protocol has its variable, and ALL_PROXY is for both', () => {
  expect(proxyFor('https://api.example/v1', proxies)).toBe('http://secure:1');
  expect(proxyFor('http://api.example/v1', proxies)).toBe('http://plain:2');
  expect(proxyFor('http://api.example/v1', { ALL_PROXY: 'http://all:3', HTTPS_PROXY: 'http://secure:1' })).toBe(
    'http://all:3',
  );
});

test('lower-case variables take precedence, and an address may leave out its protocol', () => {
  expect(proxyFor('https://api.example/v1', { ...proxies, https_proxy: 'small:4' })).toBe('http://small:4');
});

test('addresses of this machine need no proxy', () => {
  for (const host of ['localhost', 'models.localhost', '127.0.0.1', '127.9.9.9', '[::1]']) {
    expect([host, proxyFor(`http://${host}:11434/v1`, proxies)]).toEqual([host, undefined]);
  }
});

test.each([
  ['*', 'https://api.example/v1', true],
  ['api.example', 'https://api.example/v1', true],
  ['api.example', 'https://API.example./v1', true],
  ['api.example', 'https://eu.api.example/v1', true],
  ['.api.example', 'https://eu.api.example/v1', true],
  ['*.api.example', 'https://eu.api.example/v1', true],
  ['api.example', 'https://notapi.example/v1', false],
  ['other.example, api.example', 'https://api.example/v1', true],
  ['other.example api.example', 'https://api.example/v1', true],
  ['api.example:443', 'https://api.example/v1', true],
  ['api.example:8443', 'https://api.example/v1', false],
  ['api.example:8443', 'https://api.example:8443/v1', true],
  ['10.0.0.0/8', 'http://10.1.2.3/v1', true],
  ['10.0.0.0/8', 'http://11.1.2.3/v1', false],
  ['10.1.2.3', 'http://10.1.2.3:9/v1', true],
  ['fd00::/8', 'http://[fd12::1]/v1', true],
])('NO_PROXY=%s and %s', (list, address, isExempt) => {
  expect(proxyFor(address, { ...proxies, NO_PROXY: list }) === undefined).toBe(isExempt);
});
