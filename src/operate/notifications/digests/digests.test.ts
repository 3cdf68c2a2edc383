import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { recordWith } from '../../../../test/fixtures/requests/record.ts';
import { farBehind } from '../../../../test/stores/far-behind.ts';
import { forEachStore } from '../../../../test/stores/stores.ts';
import { accounts } from '../../../money/accounts/accounts.ts';
import { addMember, removeMember } from '../../../money/accounts/members.ts';
import { addOperator, removeOperator } from '../../../money/accounts/operators.ts';
import { ableReaders, chooseReaders, readersOf } from '../../../money/accounts/readers.ts';
import { createUser } from '../../../money/accounts/users.ts';
import { credits } from '../../../money/billing/ledger/credits.ts';
import { settleCharges } from '../../../money/billing/settle.ts';
import { storingRequests } from '../../../money/requests/request-writer.ts';
import { secretVault } from '../../../platform/secrets/secret-vault.ts';
import { systemClock as clock } from '../../../core/time/clock.ts';
import type { MailSettings } from '../email/smtp.ts';
import { Mailer } from '../email/mailer.ts';
import { openEmail } from '../email/post-email.ts';
import { recordEvent } from '../../../platform/outbox/record-event.ts';
import type { Store } from '../../../platform/store/store.ts';
import { cadenceOf, setCadence, periodAt } from './digests.ts';
import { sendDigests } from './send-digests.ts';

const vault = secretVault(createSecretKey(Buffer.alloc(32, 5)));
const server = { host: 'smtp.example.com', port: 587, security: 'starttls', from: 'gateway@example.com' } as const;
const others = { user: undefined, password: undefined, url: 'https://gateway.example.com', operators: [] };
const box: { settings: MailSettings | undefined } = { settings: undefined };
const mail = new Mailer({
  clock,
  vault,
  settings: () => box.settings,
  siteAt: () => undefined,
  currency: () => 'USD',
});
const [hourMs, dayMs] = [3_600_000, 86_400_000];

test('a day is reported from six in the morning on, in its time zone', () => {
  const at = (text: string) => Date.parse(text);
  const period = (text: string) => periodAt({ cadence: 'day', timeZone: 'Asia/Kolkata', now: at(text) });
  const first = { until: at('2026-02-28T18:30Z'), dueAt: at('2026-03-02T00:30Z') };
  expect(period('2026-03-01T00:30Z')).toEqual(first);
  expect(period('2026-03-02T00:29:59.999Z')).toEqual(first);
  expect(period('2026-03-02T00:30Z').until).toBe(at('2026-03-01T18:30Z'));
  expect(periodAt({ cadence: 'week', timeZone: 'UTC', now: at('2026-03-04T12:00Z') })).toEqual({
    until: at('2026-03-02T00:00Z'),
    dueAt: at('2026-03-09T06:00Z'),
  });
});

/** A zone where it is about noon: no day ends and no digest becomes due during the test. */
function zoneAtNoon(): string {
  const ahead = 12 - new Date(clock.now()).getUTCHours();
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`;
}

forEachStore(({ open }) => {
  async function begin() {
    box.settings = { ...server, ...others, languages: ['en', 'zh'] };
    const store = await open();
    const { id: accountId } = await accounts(store, clock).create({ name: 'acme', packageName: 'standard' });
    const person = async (name: string, more: { isVerified?: boolean; language?: 'zh' } = {}) => {
      const given = { email: `${name}@example.com`, name, passwordHash: '', isVerified: true, ...more };
      return (await createUser(store.db, clock, given)).id;
    };
    const [ann, bob, eve] = [
      await person('ann'),
      await person('bob', { language: 'zh' }),
      await person('eve', { isVerified: false }),
    ];
    for (const userId of [ann, eve]) await addMember(store, clock, { accountId, userId, role: 'owner' });
    await addMember(store, clock, { accountId, userId: bob, role: 'member' });
    return { store, accountId, ann, bob };
  }

  /** Makes the last digest three days old. */
  async function makeDue({ db }: Store): Promise<number> {
    const since = Math.floor(clock.now() / dayMs) * dayMs - 3 * dayMs;
    await db
      .updateTable('digests')
      .set({ since, due_at: since + dayMs })
      .execute();
    return since;
  }

  async function emails({ db }: Store) {
    const rows = await db.selectFrom('deliveries').selectAll().orderBy('target').execute();
    return rows.map((row) => ({ to: row.target, text: openEmail(row, vault)?.text ?? '' }));
  }

  test('each recipient gets one digest of the time since the last one, however many processes try', async () => {
    const { store, accountId, ann, bob } = await begin();
    await store.db.updateTable('accounts').set({ time_zone: zoneAtNoon() }).where('id', '=', accountId).execute();
    await setCadence(store.db, { accountId }, 'day');
    const since = await makeDue(store);
    await credits(store, clock).topUp({ accountId, amount: 5_000_000_000n, reference: 't', by: 'op', reason: 'paid' });
    const name = { accountId, keyId: 'key_1', processId: 'p', priceVersion: 'v', by: 'gateway', reason: 'r' } as const;
    const charge = { ...name, requestId: 'r1', held: 2_500_000_000n, cost: 2_500_000_000n, at: since + hourMs };
    await store.commit(settleCharges, [charge]);
    // The hour before was in the last digest.
    const records = [since + hourMs, since - hourMs].flatMap((startedAt) =>
      Array.from({ length: 12 }, (_, index) =>
        recordWith({
          id: `${startedAt}-${index}`,
          accountId,
          startedAt,
          model: 'house/large',
          cost: index === 0 ? 2_500_000_000n : 0n,
          errorCase: index < 3 ? 'overloaded' : undefined,
        }),
      ),
    );
    await store.commit(storingRequests, records);
    await recordEvent(store.db, { kind: 'key.cap_reached', accountId, at: since + hourMs, data: {} });
    await farBehind(store, 3000);
    expect(await sendDigests({ store, mail })).toBeUndefined();
    expect(await emails(store)).toEqual([]);
    const elsewhere = await open();
    await chooseReaders(
      store.db,
      accountId,
      (await ableReaders(store.db, accountId)).filter(({ userId }) => userId !== ''),
    );
    expect(await readersOf(store.db, accountId)).toEqual(['ann@example.com', 'bob@example.com']);
    const parts = [store, elsewhere, store].map((each) => ({ store: each, mail }));
    await Promise.all(parts.map((each) => sendDigests(each)));
    const sent = await emails(store);
    expect(sent.map(({ to }) => to)).toEqual(['ann@example.com', 'bob@example.com']);
    for (const words of ['Requests: 12, of which 3 failed. Spent: 2.50 USD.', 'Balance now: 2.50 USD.', '请求 12 次'])
      expect(sent[0]?.text).toContain(words);
    expect(sent[0]?.text).toContain('Top models: house/large 2.50 USD (12 requests).');
    expect(sent[0]?.text).toContain('Alerts: key at its spend cap × 1.');
    expect([sent[1]?.text.includes('请求 12 次'), sent[1]?.text.includes('Requests')]).toEqual([true, false]);
    const row = await store.db.selectFrom('digests').selectAll().executeTakeFirstOrThrow();
    expect(row.since).toBeGreaterThan(since);
    expect(row.due_at).toBeGreaterThan(clock.now());
    // Nothing happened since: no e-mail is created, and the time moves on.
    const later = row.since;
    await store.db
      .updateTable('digests')
      .set({ since: later - hourMs, due_at: 0 })
      .execute();
    await sendDigests({ store, mail });
    expect(await emails(store)).toHaveLength(2);
    expect(await store.db.selectFrom('digests').select('since').executeTakeFirst()).toEqual({ since: later });
    // A removed member gets no digest. If no chosen recipient is left, the owners get it.
    await removeMember(store, clock, { accountId, userId: bob });
    expect(await readersOf(store.db, accountId)).toEqual(['ann@example.com']);
    await chooseReaders(store.db, accountId, []);
    expect(await readersOf(store.db, accountId)).toEqual(['ann@example.com']);
    expect(ann).toBeTruthy();
  });

  test('a crash leaves no partial digest, and without mail settings no period is skipped', async () => {
    const { store, accountId } = await begin();
    await setCadence(store.db, { accountId }, 'week');
    await setCadence(store.db, { accountId }, 'day');
    expect(await cadenceOf(store.db, { accountId })).toBe('day');
    const since = await makeDue(store);
    await recordEvent(store.db, { kind: 'balance.used_up', accountId, at: since + hourMs, data: {} });
    const state = () => store.db.selectFrom('digests').select(['since', 'due_at']).executeTakeFirst();
    const before = await state();
    const crashing = {
      settings: mail.settings,
      currency: 'USD',
      post: async (...order: Parameters<Mailer['post']>) => {
        await mail.post(...order);
        throw new Error('killed');
      },
    };
    await expect(sendDigests({ store, mail: crashing })).rejects.toThrow('killed');
    box.settings = undefined;
    await sendDigests({ store, mail });
    expect([await state(), await emails(store)]).toEqual([before, []]);
    box.settings = { ...server, ...others, languages: ['en'] };
    // A digest that fails does not block the others either.
    const { id: broken } = await accounts(store, clock).create({ name: 'broken', packageName: 'standard' });
    await setCadence(store.db, { accountId: broken }, 'day');
    await store.db.updateTable('digests').set({ due_at: 0 }).where('account_id', '=', broken).execute();
    await store.db.updateTable('accounts').set({ time_zone: 'No/Where' }).where('id', '=', broken).execute();
    for (let round = 0; round < 2; round += 1) await expect(sendDigests({ store, mail })).rejects.toThrow('No/Where');
    expect((await emails(store)).map(({ to }) => to)).toEqual(['ann@example.com']);
    for (const each of [accountId, broken]) await setCadence(store.db, { accountId: each }, undefined);
    expect(await state()).toBeUndefined();
  });

  test('an operator gets digests of the whole gateway until the role is removed', async () => {
    const { store, ann, bob } = await begin();
    await addOperator(store, clock, { userId: ann, role: 'owner' });
    await addOperator(store, clock, { userId: bob, role: 'read-only' });
    for (const operatorId of [ann, bob]) await setCadence(store.db, { operatorId }, 'week');
    const since = await makeDue(store);
    await store.db
      .updateTable('digests')
      .set({ since: since - 14 * dayMs })
      .execute();
    await recordEvent(store.db, { kind: 'upstream.down', accountId: undefined, at: since - 10 * dayMs, data: {} });
    await removeOperator(store, bob);
    await sendDigests({ store, mail });
    const sent = await emails(store);
    expect(sent.map(({ to }) => to)).toEqual(['ann@example.com']);
    expect(sent[0]?.text).toContain('Alerts: upstream down × 1.');
    expect(sent[0]?.text).not.toContain('Balance now');
    expect(await store.db.selectFrom('digests').select('user_id').execute()).toEqual([{ user_id: ann }]);
  });
});
