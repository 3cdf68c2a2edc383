import { expect, test } from 'vitest';
import { clientAddress, normalizeAddress } from './client-address.ts';

const trusted = new Set(['10.0.0.1', '10.0.0.2', 'fd00::1']);

function addressOf(peer: string, forwardedFor?: string, forwarded?: string): string {
  return clientAddress({ peer: normalizeAddress(peer)!, forwardedFor, forwarded }, (address) => trusted.has(address));
}

test.each([
  ['a proxy that is not trusted is ignored', '203.0.113.9', '198.51.100.7', '203.0.113.9'],
  ['a trusted proxy names its client', '10.0.0.1', '198.51.100.7', '198.51.100.7'],
  [
    'an address that the client forged is further left and ignored',
    '10.0.0.1',
    '1.2.3.4, 198.51.100.7',
    '198.51.100.7',
  ],
  ['a chain of trusted proxies is followed', '10.0.0.1', '198.51.100.7, 10.0.0.2', '198.51.100.7'],
  ['a chain of only proxies yields the first proxy', '10.0.0.1', '10.0.0.2', '10.0.0.2'],
  ['a value that is no address is ignored', '10.0.0.1', 'unknown', '10.0.0.1'],
  ['an empty list is ignored', '10.0.0.1', ' ', '10.0.0.1'],
  ['values left of an invalid one are ignored', '10.0.0.1', '198.51.100.7, nonsense, 10.0.0.2', '10.0.0.2'],
  ['the port of an IPv4 address is removed', '10.0.0.1', '198.51.100.7:1234', '198.51.100.7'],
  ['the port of an IPv6 address is removed', 'fd00::1', '[2001:DB8::7]:1234', '2001:db8::7'],
  ['an IPv4-mapped IPv6 address is the IPv4 address', '::ffff:10.0.0.1', '::ffff:198.51.100.7', '198.51.100.7'],
  ['a mapped address in hexadecimal is the IPv4 address', '::ffff:a00:1', '0:0:0:0:0:FFFF:c633:6407', '198.51.100.7'],
  ['an IPv6 address is shortened', '10.0.0.1', '2001:0db8:0:0:0:0:0:7', '2001:db8::7'],
])('%s', (_rule, peer, forwardedFor, client) => {
  expect(addressOf(peer, forwardedFor)).toBe(client);
});

test('a request without proxy headers has the address of its peer', () => {
  expect(addressOf('10.0.0.1')).toBe('10.0.0.1');
  expect(addressOf('::ffff:203.0.113.9')).toBe('203.0.113.9');
});

test.each([
  ['for=198.51.100.7;proto=https;by=10.0.0.1', '198.51.100.7'],
  ['for=1.2.3.4, For="[2001:db8::7]:80";host=a', '2001:db8::7'],
  ['proto=https;for="198.51.100.7:81"', '198.51.100.7'],
  ['for=198.51.100.7, for=_hidden', '10.0.0.1'],
  ['for=198.51.100.7, proto=https', '10.0.0.1'],
])('the gateway reads the Forwarded header: %s', (forwarded, client) => {
  expect(addressOf('10.0.0.1', undefined, forwarded)).toBe(client);
});

test('two headers that disagree are ignored, two that agree count', () => {
  expect(addressOf('10.0.0.1', '198.51.100.7', 'for=1.2.3.4')).toBe('10.0.0.1');
  expect(addressOf('10.0.0.1', '198.51.100.7', 'for=198.51.100.7')).toBe('198.51.100.7');
  expect(addressOf('10.0.0.1', '2001:db8:0::7', 'for="[2001:db8::7]"')).toBe('2001:db8::7');
});
