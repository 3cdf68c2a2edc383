import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { command } from '../../../test/gateways/command.ts';

/** Written by new-api 1.0.0-rc.25 through its own API, with requests of each user. Only tables that the importer reads. */
const database = join(import.meta.dirname, '../../../packages/import/fixtures/new-api-subscriptions.db');
const pricing = {
  data: [{ model_name: 'u-model', quota_type: 0, model_ratio: 5, completion_ratio: 2, enable_groups: ['default'] }],
  group_ratio: { default: 1, vip: 0.5, plus: 0.8 },
};

let folder: string;
let end: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'gateway-subscriptions-'));
  copyFileSync(database, join(folder, 'one-api.db'));
  writeFileSync(join(folder, 'pricing.json'), JSON.stringify(pricing));
  // The subscriptions of the file end at a fixed time.
  const at = Math.floor(Date.now() / 1000) + 30 * 86_400;
  end = new Date(at * 1000).toISOString();
  const copy = new DatabaseSync(join(folder, 'one-api.db'));
  copy.exec(`update user_subscriptions set end_time = ${at} where status = 'active'`);
  // The task that ends subscriptions has not run: the state in which the program leaves them until then.
  copy.exec(`update users set "group" = 'plus' where username = 'ended'`);
  copy.exec(`update user_subscriptions set status = 'active' where status = 'expired'`);
  copy.exec(`update user_subscriptions set next_reset_time = ${at - 86_400} where next_reset_time > 0`);
  copy.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

async function imported(...words: readonly string[]) {
  const sources = [join(folder, 'one-api.db'), join(folder, 'pricing.json')];
  return JSON.parse(
    (await command('import', 'new-api', ...sources, '--data', join(folder, 'data'), '--json', ...words)).out,
  );
}

test('every subscriber that new-api answers is answered, and no other user', async () => {
  const { keys } = await imported('--rehearse');
  const answers = keys.map(({ name, status }: { name: string; status: number }) => [
    name.replace('key of ', ''),
    status,
  ]);
  expect(Object.fromEntries(answers)).toEqual({
    walletuser: 200,
    subscriber: 200,
    renewing: 200,
    twoplans: 200,
    ended: 200,
    walletonly: 200,
    cancelled: 402,
    // A prepaid account cannot have a subscription without a limit: a finding names it.
    unlimited: 402,
  });
});

test('the rest of subscriptions is in the sums to the last digit, and findings name what each subscriber loses', async () => {
  const { findings, sums } = await imported('--apply');
  // Wallets of 101136321 quota, and 15494458 that remain of five subscriptions: 2000 nano-units each.
  expect(sums.balances).toEqual({ source: '233.261558', left_out: '0.00', booked: '233.261558' });
  const ofSubscriptions = findings
    .filter(({ code }: { code: string }) => code.startsWith('subscription_'))
    .map(
      ({ code, subject, params }: { code: string; subject: { source_id: string }; params: Record<string, string> }) => [
        code.replace('subscription_', ''),
        subject.source_id,
        params,
      ],
    );
  const pro = { name: 'Pro', until: end };
  const upgraded = { ...pro, group: 'vip', after: 'default' };
  const daily = { name: 'Daily', until: end };
  const renews = { ...daily, amount: '0.50', period: 'daily' };
  expect(ofSubscriptions).toEqual([
    ['group', '3', upgraded],
    ['credited', '3', { ...pro, amount: '9.997228' }],
    ['credited', '4', { ...daily, amount: '0.49446' }],
    ['renews', '4', renews],
    ['unlimited', '5', { name: 'Unlimited', until: end }],
    ['group', '6', upgraded],
    ['credited', '6', { ...pro, amount: '9.997228' }],
    ['credited', '6', { ...daily, amount: '0.50' }],
    ['renews', '6', renews],
    ['group', '9', upgraded],
    ['credited', '9', { ...pro, amount: '10.00' }],
  ]);
  const listed = JSON.parse((await command('accounts', 'list', '--json', '--data', join(folder, 'data'))).out);
  const account = (name: string) => listed.find((each: { name: string }) => each.name === name);
  expect(account('subscriber')).toMatchObject({ package_name: 'vip' });
  expect(account('ended')).toMatchObject({ package_name: 'default' });
  expect((await imported('--apply')).sums).toEqual(sums);
});
