import { expect, test } from 'vitest';
import { clientAddress, plainAddress } from './client-address.ts';

const trusted = new Set(['10.0.0.1', '10.0.0.2', 'fd00::1']);

function addressOf(peer: string, forwardedFor?: string, forwarded?: string): string {
  return clientAddress({ peer: plainAddress(peer)!, forwardedFor, forwarded }, (address) => trusted.has(address));
}

test.each([
  ['nobody is believed but a trusted proxy', '203.0.113.9', '198.51.100.7', '203.0.113.9'],
  ['a trusted proxy names its client', '10.0.0.1', '198.51.100.7', '198.51.100.7'],
  ['what the client made up stands further left', '10.0.0.1', '1.2.3.4, 198.51.100.7', '198.51.100.7'],
  ['proxies behind each other are all trusted', '10.0.0.1', '198.51.100.7, 10.0.0.2', '198.51.100.7'],
  ['a chain of proxies alone ends at its first', '10.0.0.1', '10.0.0.2', '10.0.0.2'],
  ['something that is no address says nothing', '10.0.0.1', 'unknown', '10.0.0.1'],
  ['nor does an empty list', '10.0.0.1', ' ', '10.0.0.1'],
  ['what stands left of it is not looked at', '10.0.0.1', '198.51.100.7, nonsense, 10.0.0.2', '10.0.0.2'],
  ['a port is left out', '10.0.0.1', '198.51.100.7:1234', '198.51.100.7'],
  ['also that of a longer address', 'fd00::1', '[2001:DB8::7]:1234', '2001:db8::7'],
  ['IPv4 in the form of IPv6 is the same place', '::ffff:10.0.0.1', '::ffff:198.51.100.7', '198.51.100.7'],
  ['also where it is written in hexadecimal', '::ffff:a00:1', '0:0:0:0:0:FFFF:c633:6407', '198.51.100.7'],
  ['zeros of a longer address are left out', '10.0.0.1', '2001:0db8:0:0:0:0:0:7', '2001:db8::7'],
])('%s', (_rule, peer, forwardedFor, client) => {
  expect(addressOf(peer, forwardedFor)).toBe(client);
});

test('without a header it is the peer', () => {
  expect(addressOf('10.0.0.1')).toBe('10.0.0.1');
  expect(addressOf('::ffff:203.0.113.9')).toBe('203.0.113.9');
});

test.each([
  ['for=198.51.100.7;proto=https;by=10.0.0.1', '198.51.100.7'],
  ['for=1.2.3.4, For="[2001:db8::7]:80";host=a', '2001:db8::7'],
  ['proto=https;for="198.51.100.7:81"', '198.51.100.7'],
  ['for=198.51.100.7, for=_hidden', '10.0.0.1'],
  ['for=198.51.100.7, proto=https', '10.0.0.1'],
])('the header Forwarded is read: %s', (forwarded, client) => {
  expect(addressOf('10.0.0.1', undefined, forwarded)).toBe(client);
});

test('two headers that name different places are worth nothing, two that agree are', () => {
  expect(addressOf('10.0.0.1', '198.51.100.7', 'for=1.2.3.4')).toBe('10.0.0.1');
  expect(addressOf('10.0.0.1', '198.51.100.7', 'for=198.51.100.7')).toBe('198.51.100.7');
  expect(addressOf('10.0.0.1', '2001:db8:0::7', 'for="[2001:db8::7]"')).toBe('2001:db8::7');
});
