import { expect, test } from 'vitest';
import { egressSchema } from './egress.ts';

test.each(['models.internal', 'ollama', 'host.', '10.1.2.3', '10.0.0.0/8', 'fd12::/64', '::1', 'my_host-1'])(
  '%s is a destination',
  (destination) => expect(egressSchema.safeParse({ allow: [destination] }).success).toBe(true),
);

test.each([
  '',
  '*',
  '10.0.0.0/33',
  '10.0.0/8',
  '10.0.0.256',
  '::/129',
  '1/2/3',
  'http://a',
  'a b',
  'fe80::1%eth0',
  '-a',
])('%j is not a destination', (destination) =>
  expect(egressSchema.safeParse({ allow: [destination] }).success).toBe(false),
);
