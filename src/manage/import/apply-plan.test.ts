import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { manualClock } from '../../../test/clocks/manual-clock.ts';
import { forEachStore } from '../../../test/stores/stores.ts';
import { accounts } from '../../money/accounts/accounts.ts';
import { membersOf } from '../../money/accounts/members.ts';
import { organisations } from '../../money/accounts/organisations.ts';
import { createUser, markVerified, userByEmail } from '../../money/accounts/users.ts';
import type { KeyId } from '../../money/accounts/ids.ts';
import { storedKey } from '../../money/accounts/import-key.ts';
import { limitKey } from '../../money/accounts/key-limits.ts';
import { keys as keyBook } from '../../money/accounts/keys.ts';
import { readLimits } from '../../money/billing/budgets/limit-reading.ts';
import { verifyLedger } from '../../money/billing/ledger/verify.ts';
import { type LimitPeriod, memberSubject } from '../../core/limit.ts';
import { secretVault } from '../../platform/secrets/secret-vault.ts';
import { Resources } from '../../money/catalog/resources.ts';
import type { Store } from '../../platform/store/store.ts';
import { renewSecret } from '../../app/renew-secret.ts';
import type { Pepper } from '../../platform/secrets/key-digest.ts';
import { knownKinds } from '../../serving/upstreams/providers/presets.ts';
import type { ImportPlan, PlannedAccount, PlannedKey, PlannedLimit, PlannedUser } from 'chat-gateway-import/plan.ts';
import { Secret } from 'chat-gateway-import/secret.ts';
import { foreignSecret } from './key-items.ts';
import { applyPlan, type ImportResult, tryPlan } from './apply-plan.ts';
import type { ApplyParts } from './context.ts';

const now = Date.UTC(2026, 9, 15, 12);
/** One US dollar in nano-units. */
const unit = 1_000_000_000n;
const pepper = createSecretKey(randomBytes(32));

const account: PlannedAccount = {
  sourceId: 'team:red',
  name: 'red',
  displayName: 'Red',
  organisation: 'acme',
  packageName: 'all',
  billing: 'postpaid',
  status: 'active',
  limits: [{ amount: 100_000_000_000n, period: 'month', notifyAt: ['0.80'], spent: 30_000_000_000n }],
  timeZone: 'Europe/Berlin',
  balance: 0n,
};

const key: PlannedKey = {
  sourceId: 'k1',
  account: 'team:red',
  member: 'u1',
  name: 'ci',
  secret: { form: 'plain', value: new Secret('sk-old-key-of-the-client-1') },
  models: ['gpt-4o'],
  spendCap: 10_000_000_000n,
  capPeriod: 'month',
  spent: 4_000_000_000n,
  status: 'active',
};

const plan: ImportPlan = {
  organisations: [{ sourceId: 'acme', name: 'acme', limits: [], timeZone: 'UTC' }],
  accounts: [
    account,
    {
      ...account,
      sourceId: 'user:5',
      name: 'ann',
      billing: 'prepaid',
      limits: [],
      organisation: undefined,
      balance: 12_345_678_901n,
    },
  ],
  users: [
    {
      sourceId: 'u1',
      email: 'ann@example.com',
      password: { form: 'sha256', hash: new Secret('ab'.repeat(32)) },
      memberships: [
        {
          account: 'team:red',
          role: 'owner',
          limits: [{ amount: 5_000_000_000n, period: 'day', notifyAt: [], spent: 0n }],
        },
      ],
      organisations: [{ organisation: 'acme', role: 'owner' }],
    },
  ],
  keys: [
    key,
    {
      ...key,
      sourceId: 'k2',
      name: 'old',
      secret: { form: 'sha256', digest: new Secret('cd'.repeat(32)) },
      spendCap: undefined,
      capPeriod: undefined,
      spent: 500_000_000_000n,
    },
    {
      ...key,
      sourceId: 'k3',
      name: 'gone',
      secret: { form: 'plain', value: new Secret('sk-a-blocked-key-of-a-client') },
      spent: 0n,
      status: 'revoked',
    },
  ],
  packages: [{ sourceId: 'p', spec: { name: 'all', models: ['*'] } }],
  upstreams: [
    {
      sourceId: 'openai',
      spec: { name: 'openai', kind: 'openai' },
      secrets: { api_key: new Secret('sk-provider-secret') },
    },
  ],
  models: [
    {
      sourceId: 'gpt-4o',
      spec: {
        id: 'gpt-4o',
        routes: [{ upstream: 'openai' }],
        price: { input: '1', output: '2' },
        fallbacks: [{ model: 'small', on: ['failure'] }],
      },
    },
    { sourceId: 'small', spec: { id: 'small', routes: [{ upstream: 'openai' }], price: { input: '0', output: '0' } } },
  ],
  findings: [],
};

const rotatedSecrets: readonly PlannedKey['secret'][] = [
  { form: 'plain', value: new Secret('sk-new-key-of-the-client-1') },
  { form: 'sha256', digest: new Secret('9d'.repeat(32)) },
  { form: 'plain', value: new Secret('sk-another-blocked-key-of-a-client') },
];

function partsOf(store: Store, at = now): ApplyParts {
  const clock = manualClock(at);
  return {
    store,
    clock,
    pepper,
    vault: secretVault(pepper),
    kinds: knownKinds,
    source: 'litellm:test',
    operator: 'tester',
  };
}

function outcomes({ outcomes: all }: ImportResult): Record<string, string> {
  return Object.fromEntries(
    Object.entries(all).flatMap(([kind, each]) => [...each].map(([id, outcome]) => [`${kind} ${id}`, outcome])),
  );
}

function codes({ findings }: ImportResult): readonly string[] {
  return findings.map(({ code }) => code).sort();
}

forEachStore(({ open }) => {
  test('an existing user gets roles and keys only after confirming the address', async () => {
    const store = await open();
    const email = 'ann@example.com';
    const planted = { email, name: 'Another person', passwordHash: 'x', isVerified: false };
    const { id } = await createUser(store.db, manualClock(now), planted);
    const first = await applyPlan(plan, partsOf(store));
    expect(codes(first)).toEqual(expect.arrayContaining(['item_refused', 'key_without_member']));
    const red = await accounts(store, manualClock(now)).find('red');
    expect(await membersOf(store.db, red?.id ?? '')).toEqual([]);
    const ofRed = () => keyBook(store, manualClock(now)).list({ accountId: red!.id });
    expect(await ofRed()).toEqual([]);
    await markVerified(store.db, id);
    await applyPlan(plan, partsOf(store, now + 5000));
    expect(await membersOf(store.db, red?.id ?? '')).toMatchObject([{ userId: id, role: 'owner' }]);
    expect((await ofRed()).map(({ memberId }) => memberId)).toEqual([id, id, id]);
  });

  test('an import creates everything of its plan, and a second one changes nothing', async () => {
    const store = await open();
    const first = await applyPlan(plan, partsOf(store));
    expect(new Set(Object.values(outcomes(first)))).toEqual(new Set(['created']));
    expect(first.sums).toEqual({
      balances: { source: 12_345_678_901n, leftOut: 0n, booked: 12_345_678_901n },
      spend: { source: 504_000_000_000n, leftOut: 0n, booked: 504_000_000_000n },
    });
    const red = await accounts(store, manualClock(now)).find('red');
    expect(red).toMatchObject({
      billing: 'postpaid',
      timeZone: 'Europe/Berlin',
      packageName: 'all',
      limits: [{ amount: 100_000_000_000n, period: 'month' }],
    });
    const [acme] = await organisations(store, manualClock(now)).list();
    expect(red?.organisationId).toBe(acme?.id);
    const ann = await userByEmail(store.db, 'ann@example.com');
    expect(await membersOf(store.db, red?.id ?? '')).toMatchObject([
      { userId: ann?.id, role: 'owner', limits: [{ period: 'day' }] },
    ]);
    const made = await keyBook(store, manualClock(now)).list({ accountId: red!.id });
    expect(
      made
        .map(({ name, spendCap, memberId, revokedAt }) => [name, spendCap, memberId, revokedAt === undefined])
        .toSorted(byName),
    ).toEqual([
      ['ci', 10_000_000_000n, ann?.id, true],
      ['gone', 10_000_000_000n, ann?.id, false],
      ['old', undefined, ann?.id, true],
    ]);
    expect(JSON.stringify(await store.db.selectFrom('resources').selectAll().execute())).not.toContain(
      'sk-provider-secret',
    );
    const before = await tables(store);
    const second = await applyPlan(plan, partsOf(store, now + 5000));
    expect(new Set(Object.values(outcomes(second)))).toEqual(new Set(['unchanged']));
    expect(second.sums).toEqual(first.sums);
    expect(await tables(store)).toEqual(before);
    expect(await verifyLedger(store)).toMatchObject({ isSound: true });
  });

  test('imported spend counts in the limits of its account and in the caps of its keys, each in its own period', async () => {
    const store = await open();
    const total = { amount: 900_000_000_000n, period: 'total' as const, notifyAt: [], spent: 600_000_000_000n };
    const done = await applyPlan(
      { ...plan, accounts: [{ ...account, limits: [...account.limits, total] }] },
      partsOf(store),
    );
    const red = await accounts(store, manualClock(now)).find('red');
    const subject = {
      scope: 'account',
      subjectId: red!.id,
      accountId: red!.id,
      timeZone: 'Europe/Berlin',
      limits: red!.limits,
    } as const;
    const capped = { amount: 10_000_000_000n, period: 'month' as const, notifyAt: [] };
    const ofKey = { ...subject, scope: 'key', subjectId: done.keys.get('k1') ?? '', limits: [capped] } as const;
    const [ofAccount = [], ofFirst = []] = await readLimits(store, [subject, ofKey], now);
    expect(ofAccount.map(({ period, spent }) => [period, spent])).toEqual([
      ['month', 30_000_000_000n],
      ['total', 600_000_000_000n],
    ]);
    expect(ofFirst.map(({ spent }) => spent)).toEqual([4_000_000_000n]);
  });

  test('the cap of a day counts the spend of its day, and the key keeps all its spend, day after day', async () => {
    const store = await open();
    const spentOf = async (result: ImportResult, at: number) => {
      const red = (await accounts(store, manualClock(at)).find('red'))!;
      const limits = (['day', 'month', 'total'] as const).map((period) => ({ amount: unit, period, notifyAt: [] }));
      const subjectId = result.keys.get('k1') ?? '';
      const ofKey = { scope: 'key', subjectId, accountId: red.id, timeZone: red.timeZone, limits } as const;
      return (await readLimits(store, [ofKey], at)).map((each) => each.map(({ spent }) => spent / unit))[0];
    };
    const day = 86_400_000;
    // The month of the account begins with 30 units that the key may take.
    for (const [at, today, all, inMonth] of [
      [now, 2n, 50n, 30n],
      [now + 1000, 5n, 53n, 30n],
      [now + day, 1n, 54n, 30n],
      [Date.UTC(2026, 10, 2), 3n, 60n, 30n],
    ] as const) {
      const capped = { ...key, spendCap: 9n * unit, capPeriod: 'day', spent: all * unit, spentInPeriod: today * unit };
      const round: ImportPlan = { ...plan, keys: [capped as PlannedKey] };
      const done = await applyPlan(round, partsOf(store, at));
      expect(await spentOf(done, at)).toEqual([today, inMonth, all]);
      expect(done.sums.spend.booked).toBe(done.sums.spend.source);
      const before = await tables(store);
      await applyPlan(round, partsOf(store, at + 500));
      expect(await tables(store)).toEqual(before);
    }
    expect(await verifyLedger(store)).toMatchObject({ isSound: true });
  });

  test('spend of a member counts in the limit of the member, and the sums of keys and accounts stay', async () => {
    const store = await open();
    const total = { amount: 900_000_000_000n, period: 'total' as const, notifyAt: [], spent: 600_000_000_000n };
    const withSpend = (ofMember: bigint, ofKey: bigint): ImportPlan => ({
      ...plan,
      accounts: [{ ...account, limits: [...account.limits, total] }, plan.accounts[1]!],
      users: [memberWith({ amount: 9_000_000_000n, period: 'month', notifyAt: [], spent: ofMember })],
      keys: plan.keys.map((each) => (each.sourceId === 'k2' ? { ...each, spent: ofKey } : each)),
    });
    const red = async () => (await accounts(store, manualClock(now)).find('red'))!;
    const spentOf = async (result: ImportResult, at: number) => {
      const { id: accountId, limits, timeZone } = await red();
      const [{ userId, limits: ofMember }] = (await membersOf(store.db, accountId)) as [Member];
      const everything = [{ ...total, amount: 900_000_000_000n }];
      const subjects = [
        { scope: 'member', subjectId: memberSubject(accountId, userId), limits: ofMember },
        { scope: 'account', subjectId: accountId, limits },
        { scope: 'key', subjectId: result.keys.get('k2') ?? '', limits: everything },
      ] as const;
      const read = await readLimits(
        store,
        subjects.map((each) => ({ ...each, accountId, timeZone })),
        at,
      );
      return read.map((each) => each.map(({ spent }) => spent / 1_000_000_000n));
    };
    const first = await applyPlan(withSpend(5_000_000_000n, 500_000_000_000n), partsOf(store));
    expect(codes(first)).toEqual([]);
    expect(await spentOf(first, now)).toEqual([[5n], [30n, 600n], [500n]]);
    const before = await tables(store);
    await applyPlan(withSpend(5_000_000_000n, 500_000_000_000n), partsOf(store, now + 1000));
    expect(await tables(store)).toEqual(before);
    const more = await applyPlan(withSpend(8_000_000_000n, 503_000_000_000n), partsOf(store, now + 2000));
    expect(await spentOf(more, now + 2000)).toEqual([[8n], [30n, 600n], [503n]]);
    const november = Date.UTC(2026, 10, 2);
    const next = await applyPlan(withSpend(6_000_000_000n, 505_000_000_000n), partsOf(store, november));
    expect(await spentOf(next, november)).toEqual([[6n], [30n, 600n], [505n]]);
    expect(next.sums.spend.booked).toBe(next.sums.spend.source);
    expect(await verifyLedger(store)).toMatchObject({ isSound: true });
  });

  test('limits of several periods at all levels count what the source has, each spend once, day after day', async () => {
    const store = await open();
    const limit = (period: LimitPeriod, spent: bigint): PlannedLimit => {
      return { amount: 900n * unit, period, notifyAt: [], spent: spent * unit };
    };
    const free = { ...key, spendCap: undefined, capPeriod: undefined };
    const planFor = (day: bigint, month: bigint, total: bigint, gone: bigint): ImportPlan => ({
      ...plan,
      organisations: [
        { ...plan.organisations[0]!, limits: [limit('month', month + 7n), limit('total', total + 40n + gone)] },
      ],
      accounts: [
        { ...account, limits: [limit('day', day + 2n), limit('month', month)] },
        { ...account, sourceId: 'team:blue', name: 'blue', limits: [] },
      ],
      users: [memberWith(limit('day', day))],
      keys: [
        { ...free, spent: total * unit },
        {
          ...free,
          sourceId: 'b1',
          account: 'team:blue',
          member: undefined,
          secret: { form: 'plain', value: new Secret('sk-old-key-of-the-other-team') },
          spent: 40n * unit,
        },
      ],
    });
    const spentOf = async (at: number) => {
      const red = (await accounts(store, manualClock(at)).find('red'))!;
      const acme = (await organisations(store, manualClock(at)).find('acme'))!;
      const [mia] = (await membersOf(store.db, red.id)) as [Member];
      const ofRed = { accountId: red.id, timeZone: red.timeZone };
      const subjects = [
        { ...ofRed, scope: 'member', subjectId: memberSubject(red.id, mia.userId), limits: mia.limits },
        { ...ofRed, scope: 'account', subjectId: red.id, limits: red.limits },
        { scope: 'organisation', subjectId: acme.id, accountId: '', timeZone: acme.timeZone, limits: acme.limits },
      ] as const;
      return (await readLimits(store, subjects, at)).map((each) => each.map(({ spent }) => spent / unit));
    };
    // A key that is gone spent 2 of the day of the account, and 2 of another month.
    const rounds: readonly (readonly [at: number, day: bigint, month: bigint, total: bigint, gone: bigint])[] = [
      [now, 5n, 60n, 100n, 2n],
      [now + 1000, 6n, 62n, 102n, 2n],
      [now + 86_400_000, 1n, 64n, 104n, 2n],
      [Date.UTC(2026, 10, 5), 3n, 6n, 140n, 4n],
    ];
    for (const [at, day, month, total, gone] of rounds) {
      const round = planFor(day, month, total, gone);
      const done = await applyPlan(round, partsOf(store, at));
      expect(await spentOf(at)).toEqual([[day], [day + 2n, month], [month + 7n, total + 40n + gone]]);
      expect(codes(done)).toEqual([]);
      expect(done.sums.spend.booked).toBe(done.sums.spend.source);
      const before = await tables(store);
      await applyPlan(round, partsOf(store, at + 500));
      expect(await tables(store)).toEqual(before);
    }
    expect(await verifyLedger(store)).toMatchObject({ isSound: true });
  });

  test('spend of a closed month that is found late counts in the current month, and is booked once', async () => {
    const store = await open();
    const monthly = (spent: bigint, ofKey: bigint): ImportPlan => ({
      ...plan,
      accounts: [{ ...account, limits: [{ ...account.limits[0]!, spent: spent * unit }] }, plan.accounts[1]!],
      keys: [{ ...key, spendCap: undefined, capPeriod: undefined, spent: ofKey * unit }],
    });
    await applyPlan(monthly(30n, 100n), partsOf(store));
    const november = Date.UTC(2026, 10, 20);
    await store.db
      .updateTable('balances')
      .set({ closed_until: Date.UTC(2026, 9, 31, 23) })
      .execute();
    await applyPlan(monthly(2n, 108n), partsOf(store, november));
    const before = await tables(store);
    const again = await applyPlan(monthly(2n, 108n), partsOf(store, november + 1000));
    expect(await tables(store)).toEqual(before);
    expect(again.sums.spend).toEqual({ source: 108n * unit, leftOut: 0n, booked: 108n * unit });
  });

  test('spend of a member or an organisation that no imported key or account has is reported with its amount', async () => {
    const store = await open();
    const limit = { amount: 900_000_000_000n, period: 'month' as const, notifyAt: [], spent: 700_000_000_000n };
    const [acme] = plan.organisations;
    const reported = await applyPlan(
      { ...plan, users: [memberWith(limit)], organisations: [{ ...acme!, limits: [limit] }] },
      partsOf(store),
    );
    const missing = reported.findings.filter(({ code }) => code === 'spend_not_booked');
    const terms = { spent: '700.00', limit: '900.00', period: 'month' };
    expect(missing.map(({ subject, params }) => [subject.kind, params])).toEqual([
      ['user', { name: 'red', missing: '196.00', ...terms }],
      ['organisation', { name: 'acme', missing: '196.00', ...terms }],
    ]);
  });

  test('an account of its own takes the spend of an organisation that no other account has', async () => {
    const store = await open();
    const month = (spent: bigint) => ({ amount: 900n * unit, period: 'month' as const, notifyAt: [], spent });
    const withSpend = (spent: bigint, ofKey: bigint): ImportPlan => ({
      ...plan,
      organisations: [{ ...plan.organisations[0]!, limits: [month(spent)], restAccount: 'own' }],
      accounts: [
        { ...account, limits: [] },
        { ...account, sourceId: 'own', name: 'own', limits: [] },
      ],
      keys: [{ ...key, spent: ofKey }],
    });
    const spentAt = async (at: number) => {
      const { id, limits, timeZone } = (await organisations(store, manualClock(at)).find('acme'))!;
      const subject = { scope: 'organisation', subjectId: id, accountId: '', timeZone, limits } as const;
      return (await readLimits(store, [subject], at))[0]?.[0]?.spent;
    };
    for (const [at, spent, ofKey] of [
      [now, 5n * unit, 3n * unit],
      [now + 1000, 9n * unit, 6n * unit],
      [Date.UTC(2026, 10, 2), 2n * unit, unit],
    ] as const) {
      const done = await applyPlan(withSpend(spent, ofKey), partsOf(store, at));
      expect(codes(done)).toEqual([]);
      expect(await spentAt(at)).toBe(spent);
      expect(done.sums.spend).toEqual({ source: spent, leftOut: 0n, booked: spent });
      const before = await tables(store);
      await applyPlan(withSpend(spent, ofKey), partsOf(store, at + 500));
      expect(await tables(store)).toEqual(before);
    }
    expect(await verifyLedger(store)).toMatchObject({ isSound: true });
  });

  test('a replaced key shares the limits of the key that replaced it', async () => {
    const store = await open();
    const old: PlannedKey = {
      ...key,
      sourceId: 'k0',
      secret: { form: 'plain', value: new Secret('sk-the-key-before-the-rotation') },
      spent: 0n,
      replacedBy: 'k1',
    };
    const done = await applyPlan({ ...plan, keys: [old, ...plan.keys] }, partsOf(store));
    const red = await accounts(store, manualClock(now)).find('red');
    const made = await keyBook(store, manualClock(now)).list({ accountId: red!.id });
    expect(made.find(({ id }) => id === done.keys.get('k0'))?.firstId).toBe(done.keys.get('k1'));
  });

  test('after a rotation of the secret an import recognises its items, and ends a key that the source revoked', async () => {
    const store = await open();
    const first = await applyPlan(plan, partsOf(store));
    const rotated: Pepper = Object.assign(createSecretKey(randomBytes(32)), { others: [pepper], founding: pepper });
    await renewSecret(store, rotated, now);
    const only = createSecretKey(rotated.export());
    const later = { ...partsOf(store, now + 1000), pepper: only, vault: secretVault(only) };
    const unchanged = await applyPlan(plan, later);
    expect([new Set(Object.values(outcomes(unchanged))), codes(unchanged)]).toEqual([new Set(['unchanged']), []]);
    const revoked = plan.keys.map((each) => (each.sourceId === 'k1' ? { ...each, status: 'revoked' as const } : each));
    const done = await applyPlan({ ...plan, keys: revoked }, later);
    expect([outcomes(done)['key k1'], codes(done)]).toEqual(['changed', []]);
    const keyRow = store.db.selectFrom('api_keys').select('revoked_at').where('id', '=', first.keys.get('k1')!);
    expect((await keyRow.executeTakeFirst())?.revoked_at).not.toBeNull();
  });

  test('a secret that changed in the source replaces the old one here, also if the terms were changed here', async () => {
    const store = await open();
    const first = await applyPlan(plan, partsOf(store));
    const rotated = plan.keys.map((each, index) => ({ ...each, secret: rotatedSecrets[index]! }));
    await limitKey(store, first.keys.get('k2') as KeyId, { maxConcurrency: 3 });
    const done = await applyPlan({ ...plan, keys: rotated }, partsOf(store, now + 1000));
    expect(codes(done)).toEqual([]);
    const stateOf = async (secret: PlannedKey['secret']) => {
      const row = await storedKey(store.db, pepper, foreignSecret(secret));
      return row && { isActive: row.revoked_at === null, first: row.first_id, cap: row.max_concurrency };
    };
    expect(await Promise.all(plan.keys.map(({ secret }) => stateOf(secret)))).toMatchObject(
      plan.keys.map(() => ({ isActive: false })),
    );
    expect(await Promise.all(rotatedSecrets.map(stateOf))).toEqual([
      { isActive: true, first: first.keys.get('k1'), cap: null },
      { isActive: true, first: first.keys.get('k2'), cap: 3 },
      undefined,
    ]);
    expect(done.sums).toEqual(first.sums);
    const before = await tables(store);
    expect(codes(await applyPlan({ ...plan, keys: rotated }, partsOf(store, now + 2000)))).toEqual([]);
    expect(await tables(store)).toEqual(before);
    expect(await verifyLedger(store)).toMatchObject({ isSound: true });
  });

  test('a key that the source knows by another id after its rotation counts once in the limit of its account', async () => {
    const store = await open();
    const round = (spent: bigint, ...ofKeys: readonly (readonly [string, bigint])[]): ImportPlan => ({
      ...plan,
      accounts: [{ ...account, limits: [{ ...account.limits[0]!, spent }] }, plan.accounts[1]!],
      keys: ofKeys.map(([sourceId, ofKey]) => {
        const secret = { form: 'plain', value: new Secret(`sk-the-secret-of-the-key-${sourceId}`) } as const;
        return { ...key, spendCap: undefined, capPeriod: undefined, sourceId, secret, spent: ofKey };
      }),
    });
    const spentAt = async (at: number) => {
      const { id, limits, timeZone } = (await accounts(store, manualClock(at)).find('red'))!;
      const subject = { scope: 'account', subjectId: id, accountId: id, timeZone, limits } as const;
      return (await readLimits(store, [subject], at))[0]?.[0]?.spent;
    };
    await applyPlan(round(7n * unit, ['a', 4n * unit], ['b', 3n * unit]), partsOf(store));
    for (const [at, spent, ofKey] of [
      [now + 1000, 8n * unit, 5n * unit],
      [now + 2000, 9n * unit, 6n * unit],
    ] as const) {
      const rotated = round(spent, ['a2', ofKey], ['b', 3n * unit]);
      const done = await applyPlan(rotated, partsOf(store, at));
      expect(codes(done)).toEqual([]);
      expect(await spentAt(at)).toBe(spent);
      const before = await tables(store);
      await applyPlan(rotated, partsOf(store, at + 500));
      expect(await tables(store)).toEqual(before);
    }
    expect(await verifyLedger(store)).toMatchObject({ isSound: true });
  });

  test('a key that the source switches off is revoked, also if its terms were changed here', async () => {
    const store = await open();
    const first = await applyPlan(plan, partsOf(store));
    await limitKey(store, first.keys.get('k1') as KeyId, { maxConcurrency: 3 });
    const off = plan.keys.map((each) => ({ ...each, status: 'revoked' as const }));
    const done = await applyPlan({ ...plan, keys: off }, partsOf(store, now + 1000));
    expect(outcomes(done)).toMatchObject({ 'key k1': 'kept', 'key k2': 'changed' });
    const left = await keyBook(store, manualClock(now)).list();
    expect(left.filter(({ revokedAt }) => revokedAt === undefined)).toEqual([]);
  });

  test('two imports of the same source at once create everything once', async () => {
    const [one, other] = await Promise.all([open(), open()]);
    const both = await Promise.all([applyPlan(plan, partsOf(one)), applyPlan(plan, partsOf(other))]);
    const seen = both.map((done) => [...new Set(Object.values(outcomes(done)))].join());
    expect(seen.toSorted(byText)).toEqual(['created', 'unchanged']);
    expect(await accounts(one, manualClock(now)).list()).toHaveLength(2);
    expect(await verifyLedger(one)).toMatchObject({ isSound: true });
  });

  test('a key of a former member counts for its new member, and a key that moved to another account is reported', async () => {
    const store = await open();
    await applyPlan(plan, partsOf(store));
    const [first, second, third] = plan.keys as [PlannedKey, PlannedKey, PlannedKey];
    const moved = { ...plan, keys: [{ ...first, member: undefined }, { ...second, account: 'user:5' }, third] };
    const done = await applyPlan(moved, partsOf(store));
    expect(codes(done)).toEqual(['key_moved']);
    const red = await accounts(store, manualClock(now)).find('red');
    const made = await keyBook(store, manualClock(now)).list({ accountId: red!.id });
    expect(made.find(({ name }) => name === 'ci')?.memberId).toBeUndefined();
    expect(done.sums.spend.booked).toBe(done.sums.spend.source);
  });

  test('a trial shows the same result and changes nothing', async () => {
    const store = await open();
    const before = await tables(store);
    const tried = await tryPlan(plan, partsOf(store));
    expect(await tables(store)).toEqual(before);
    expect(outcomes(await applyPlan(plan, partsOf(store)))).toEqual(outcomes(tried));
  });

  test('a later import takes changed limits, new and removed keys, and the difference of spend', async () => {
    const store = await open();
    await applyPlan(plan, partsOf(store));
    const [first, second] = plan.keys as [PlannedKey, PlannedKey];
    const changed: ImportPlan = {
      ...plan,
      accounts: [
        { ...account, limits: [{ ...account.limits[0]!, amount: 50_000_000_000n, spent: 31_000_000_000n }] },
        plan.accounts[1]!,
      ],
      keys: [
        { ...first, spendCap: 7_000_000_000n, spent: 4_500_000_000n },
        {
          ...second,
          sourceId: 'k9',
          name: 'new',
          secret: { form: 'sha256', digest: new Secret('ef'.repeat(32)) },
          spent: 0n,
        },
      ],
    };
    const done = await applyPlan(changed, partsOf(store, now + 60_000));
    expect(outcomes(done)).toMatchObject({
      'account team:red': 'changed',
      'account user:5': 'unchanged',
      'key k1': 'changed',
      'key k9': 'created',
      'key k2': 'retired',
      'key k3': 'retired',
    });
    expect(done.sums.spend).toEqual({ source: 31_000_000_000n, leftOut: 0n, booked: 31_000_000_000n });
    const again = await applyPlan(changed, partsOf(store, now + 120_000));
    expect(Object.values(outcomes(again)).filter((each) => each !== 'unchanged')).toEqual([]);
    expect(await verifyLedger(store)).toMatchObject({ isSound: true });
  });

  test('the spend of a new month in the source counts in the new month here', async () => {
    const store = await open();
    await applyPlan(plan, partsOf(store));
    const next: ImportPlan = {
      ...plan,
      accounts: [{ ...account, limits: [{ ...account.limits[0]!, spent: 1_000_000_000n }] }],
      keys: [{ ...key, spent: 1_000_000_000n }],
    };
    const done = await applyPlan(next, partsOf(store, Date.UTC(2026, 10, 2)));
    expect(done.sums.spend).toEqual({ source: 1_000_000_000n, leftOut: 0n, booked: 1_000_000_000n });
  });

  test('an item that was changed here is reported and not overwritten', async () => {
    const store = await open();
    await applyPlan(plan, partsOf(store));
    const book = accounts(store, manualClock(now));
    const red = await book.find('red');
    await book.change(red!.id, { limits: [] });
    const changed: ImportPlan = {
      ...plan,
      accounts: [{ ...account, limits: [], status: 'suspended' }, plan.accounts[1]!],
    };
    const done = await applyPlan(changed, partsOf(store));
    expect(outcomes(done)['account team:red']).toBe('kept');
    expect(codes(done)).toContain('changed_here');
    expect((await book.find('red'))?.status).toBe('active');
  });

  test('names that are in use here get a suffix, and a model of the same name stays as it is', async () => {
    const store = await open();
    const clock = manualClock(now);
    await accounts(store, clock).create({ name: 'red', packageName: 'default' });
    const resources = new Resources(store, {
      clock,
      kinds: knownKinds,
      vault: () => Promise.resolve(secretVault(pepper)),
    });
    await resources.add('upstream', { name: 'openai', kind: 'simulated' });
    await resources.add('package', { name: 'all', models: [] });
    await resources.add('model', { id: 'small', routes: [{ upstream: 'openai' }], price: { input: '0', output: '0' } });
    const done = await applyPlan(plan, partsOf(store));
    expect(codes(done)).toEqual(['model_exists', 'name_changed', 'name_changed', 'name_changed']);
    const names = (await accounts(store, clock).list()).map(({ name, packageName }) => [name, packageName]);
    expect(names).toEqual([
      ['ann', expect.stringMatching(/^all-/)],
      ['red', 'default'],
      [expect.stringMatching(/^red-/), expect.stringMatching(/^all-/)],
    ]);
    const model = await resources.show('model', 'gpt-4o');
    expect(model.spec).toMatchObject({ routes: [{ upstream: expect.stringMatching(/^openai-/) }] });
  });

  test('an entry that the gateway refuses is left out with what depends on it, and the sums say so', async () => {
    const store = await open();
    const bad: ImportPlan = {
      ...plan,
      accounts: plan.accounts.slice(1),
      models: [
        { sourceId: 'x', spec: { id: 'x', routes: [{ upstream: 'nowhere' }], price: { input: '0', output: '0' } } },
        plan.models[1]!,
      ],
    };
    const done = await applyPlan(bad, partsOf(store));
    expect(outcomes(done)).toMatchObject({ 'model x': 'left_out', 'model small': 'created' });
    expect(codes(done)).toEqual(['item_refused', 'key_without_account', 'key_without_account', 'key_without_account']);
    expect(done.sums.spend).toEqual({ source: 504_000_000_000n, leftOut: 504_000_000_000n, booked: 0n });
  });

  test('a refused upstream is left out, and models keep their routes to the others', async () => {
    const store = await open();
    const azure = { sourceId: 'azure', spec: { name: 'azure', kind: 'azure' } };
    const routes = [
      { upstream: 'azure', model: 'a' },
      { upstream: 'openai', model: 'b' },
    ];
    const [large, small] = plan.models;
    const models = [
      { ...large!, spec: { ...large!.spec, routes } },
      { ...small!, spec: { ...small!.spec, routes: routes.slice(0, 1) } },
    ];
    const done = await applyPlan(
      { ...plan, upstreams: [...plan.upstreams, { ...azure, secrets: { api_key: new Secret('k') } }], models },
      partsOf(store),
    );
    expect(outcomes(done)).toMatchObject({
      'upstream azure': 'left_out',
      'model gpt-4o': 'created',
      'model small': 'left_out',
    });
    const row = (await store.db.selectFrom('resources').selectAll().execute()).find(({ name }) => name === 'gpt-4o');
    expect(JSON.parse(row!.spec)).toMatchObject({ routes: [{ upstream: 'openai', model: 'b' }] });
    expect(done.findings.filter(({ code }) => code === 'routes_without_upstream')).toMatchObject([
      { subject: { sourceId: 'gpt-4o' }, params: { count: 1 } },
      { subject: { sourceId: 'small' } },
    ]);
    for (const { code, params } of done.findings)
      if (code === 'item_refused') expect(params['problem']).toMatch(/[^.]\.$/);
  });
});

type Member = Awaited<ReturnType<typeof membersOf>>[number];

function memberWith(limit: PlannedLimit): PlannedUser {
  return { ...plan.users[0]!, memberships: [{ account: 'team:red', role: 'owner', limits: [limit] }] };
}

function byText(one: string, other: string): number {
  return one < other ? -1 : 1;
}

function byName([one]: readonly unknown[], [other]: readonly unknown[]): number {
  return String(one) < String(other) ? -1 : 1;
}

/** Everything that an import writes. */
async function tables(store: Store): Promise<unknown> {
  const names = [
    'accounts',
    'organisations',
    'api_keys',
    'console_users',
    'console_members',
    'resources',
    'transfers',
    'entries',
    'import_sources',
  ] as const;
  return Promise.all(names.map((name) => store.db.selectFrom(name).selectAll().execute()));
}
