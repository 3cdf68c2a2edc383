import { expect, test } from 'vitest';
import { forEachStore } from '../../../../test/stores/stores.ts';
import { createUser } from '../../../money/accounts/users.ts';
import { alertSignIn } from '../sign-in-alert.ts';
import { manualClock } from '../../../../test/clocks/manual-clock.ts';
import { testStores } from '../../../../test/stores/stores.ts';
import { beginningQuota, emailQuota } from './network-quotas.ts';
import { browserOf, networkOf } from './known-locations.ts';

test.each([
  ['203.0.113.77', '203.0.113.0/24'],
  ['::ffff:203.0.113.9', '203.0.113.0/24'],
  ['2001:db8:1:2::5', '2001:db8:1::/48'],
  ['2001:0DB8:0001:ffff:0:0:0:1', '2001:db8:1::/48'],
  ['2001:db8::1', '2001:db8:0::/48'],
  ['::1', '0:0:0::/48'],
])('%s belongs to the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test.each([
  ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0', 'Edge', 'Windows'],
  ['Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36', 'Chrome', 'Android'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 15_0) AppleWebKit/605.1 Version/19.0 Safari/605.1', 'Safari', 'macOS'],
  ['curl/8.0', 'Other', 'Other'],
])('%s is recognised as a browser and a system', (text, browser, system) => {
  expect(browserOf(text)).toEqual({ browser, system });
});

const { open } = testStores('sqlite');

test('e-mails are limited for each recipient and each network, and the quota refills by the hour', async () => {
  const clock = manualClock();
  const count = emailQuota({ store: await open(), clock });
  const from = (address: string) => ({ address });
  for (let sent = 0; sent < 5; sent += 1) await count(from(`203.0.${sent}.1`), 'Ann@example.com');
  await expect(count(from('203.0.9.1'), 'ann@example.com')).rejects.toMatchObject({ case: 'overloaded' });
  for (let sent = 0; sent < 30; sent += 1) await count(from(`198.51.100.${sent}`), `n${sent}@example.com`);
  await expect(count(from('198.51.100.99'), 'bob@example.com')).rejects.toMatchObject({ case: 'overloaded' });
  clock.advance(3_600_000);
  await count(from('203.0.9.1'), 'ann@example.com');
  await expect(count(from('203.0.9.2'), 'ann@example.com')).rejects.toMatchObject({ case: 'overloaded' });
});

test('a network begins a limited number of sign-ins, and others begin theirs', async () => {
  const clock = manualClock();
  const count = beginningQuota({ store: await open(), clock });
  for (let begun = 0; begun < 1000; begun += 1) await count({ address: '203.0.113.1' });
  await expect(count({ address: '203.0.113.2' })).rejects.toMatchObject({ case: 'overloaded' });
  await count({ address: '198.51.100.1' });
  clock.advance(500);
  await count({ address: '203.0.113.2' });
  await expect(count({ address: '203.0.113.2' })).rejects.toMatchObject({ case: 'overloaded' });
});

forEachStore(({ open: openEach }) => {
  test('several sign-ins at once from a new location cause one e-mail', async () => {
    const [store, clock] = [await openEach(), manualClock()];
    const ann = { email: 'ann@example.com', name: 'Ann', passwordHash: 'hash', isVerified: true };
    const user = await createUser(store.db, clock, ann);
    const emails: string[] = [];
    const mail = { post: (_: unknown, { to }: { to: string }) => Promise.resolve(emails.push(to) > 0) };
    const signIn = (address: string) =>
      store.transaction((tx) => alertSignIn(tx, { clock, mail }, { userId: user.id, address, isKnownBrowser: false }));
    const signInFromAfar = () => Promise.all(Array.from({ length: 5 }, () => signIn('198.51.100.1')));
    await Promise.all([signIn('203.0.113.1'), signIn('203.0.113.1')]);
    expect(emails).toEqual([]);
    await signInFromAfar();
    expect(emails).toEqual([ann.email]);
    await signInFromAfar();
    expect(emails).toEqual([ann.email]);
    // A location is new again after 180 days without a sign-in.
    clock.advance(100 * 86_400_000);
    await signIn('203.0.113.1');
    clock.advance(100 * 86_400_000);
    await signInFromAfar();
    expect(emails).toEqual([ann.email, ann.email]);
  });
});
