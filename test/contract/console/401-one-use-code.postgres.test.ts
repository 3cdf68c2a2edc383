import { afterAll, beforeAll, expect, test } from 'vitest';
import { atOnceBehind } from '../../stores/at-once.ts';
import { type Browser, ownerBrowser } from '../../browser.ts';
import { startTestGateway, type TestGateway } from '../../gateways/gateway.ts';
import { dropDatabase, newDatabase } from '../../stores/stores.ts';
import { totpCode } from '../../fakes/totp.ts';
import { challenged, stepMs, withSecondFactor } from './suites/one-use-code.ts';

let database: string;
let first: TestGateway;
let second: TestGateway;
beforeAll(async () => {
  database = await newDatabase();
  const storeSettings = { database, secret: 'a secret of at least 32 characters' };
  first = await startTestGateway((base) => ({ ...base, ...storeSettings }));
  second = await startTestGateway((base) => ({ ...base, ...storeSettings }));
});
afterAll(async () => {
  await Promise.all([first.stop(), second.stop()]);
  await dropDatabase(database);
});

test('of concurrent requests with the same code at two processes, one signs in', async () => {
  const secret = await withSecondFactor(await ownerBrowser(first.gateway, first.url));
  const browsers: Browser[] = [];
  for (const gateway of [first, second, first, second, first, second]) browsers.push(await challenged(gateway));
  const code = totpCode(secret, Date.now() + stepMs);
  // Each process checks one code of a user at a time, so one request of each process waits for the row lock.
  const replies = await atOnceBehind(
    first.gateway.store,
    { take: (tx) => tx.selectFrom('console_two_factors').select('id').forUpdate().execute(), waiting: 2 },
    browsers.map((browser) => () => browser.send('POST', '/auth/two-factor', { code })),
  );
  const statuses = replies.map(({ status }) => status);
  expect(statuses.toSorted((one, other) => one - other)).toEqual([200, 401, 401, 401, 401, 401]);
});
