import { afterEach, beforeEach, expect, test } from 'vitest';
import { type WalletStage, walletStage } from '../../../../test/stores/wallets.ts';
import { accounts } from '../../accounts/accounts.ts';
import type { AccountId } from '../../accounts/ids.ts';
import type { SpendLimit } from '../../../core/caller.ts';
import type { CapPeriod } from '../../../core/time/cap-period.ts';
import type { Wallet } from '../wallet.ts';

let stage: WalletStage;
beforeEach(async () => {
  stage = await walletStage();
  await stage.topUp(1_000_000n);
});
afterEach(() => stage.end());

interface Case {
  readonly name: string;
  readonly period: CapPeriod;
  readonly timeZone: string;
  readonly since: string;
  readonly until: string;
}

const cases: readonly Case[] = [
  {
    name: 'a week ends on Monday',
    period: 'week',
    timeZone: 'Asia/Kolkata',
    since: '2026-01-18T18:30:00Z',
    until: '2026-01-25T18:30:00Z',
  },
  {
    name: 'a short month ends',
    period: 'month',
    timeZone: 'America/New_York',
    since: '2026-02-01T05:00:00Z',
    until: '2026-03-01T05:00:00Z',
  },
  {
    name: 'a day has 23 hours',
    period: 'day',
    timeZone: 'Europe/Berlin',
    since: '2026-03-28T23:00:00Z',
    until: '2026-03-29T22:00:00Z',
  },
  {
    name: 'a day has 25 hours',
    period: 'day',
    timeZone: 'Europe/Berlin',
    since: '2026-10-24T22:00:00Z',
    until: '2026-10-25T23:00:00Z',
  },
  {
    name: 'a week is an hour short',
    period: 'week',
    timeZone: 'Europe/Berlin',
    since: '2026-03-22T23:00:00Z',
    until: '2026-03-29T22:00:00Z',
  },
  {
    name: 'a month is an hour long',
    period: 'month',
    timeZone: 'Europe/Berlin',
    since: '2026-09-30T22:00:00Z',
    until: '2026-10-31T23:00:00Z',
  },
  {
    name: 'a month of 30 days comes after one of 31',
    period: 'month',
    timeZone: 'Asia/Shanghai',
    since: '2026-08-31T16:00:00Z',
    until: '2026-09-30T16:00:00Z',
  },
  {
    name: 'a month of 31 days comes after one of 30, and the year ends',
    period: 'month',
    timeZone: 'Pacific/Auckland',
    since: '2026-11-30T11:00:00Z',
    until: '2026-12-31T11:00:00Z',
  },
  {
    name: 'the next day has no midnight',
    period: 'day',
    timeZone: 'Africa/Cairo',
    since: '2026-04-22T22:00:00Z',
    until: '2026-04-23T22:00:00Z',
  },
  {
    name: 'clocks are set back at midnight',
    period: 'day',
    timeZone: 'Asia/Beirut',
    since: '2026-10-23T21:00:00Z',
    until: '2026-10-24T22:00:00Z',
  },
  {
    name: 'clocks are set back by half an hour in a zone of half hours',
    period: 'day',
    timeZone: 'Australia/Lord_Howe',
    since: '2026-04-04T13:00:00Z',
    until: '2026-04-05T13:30:00Z',
  },
  {
    name: 'a month in a zone of quarter hours',
    period: 'month',
    timeZone: 'Asia/Kathmandu',
    since: '2026-11-30T18:15:00Z',
    until: '2026-12-31T18:15:00Z',
  },
  {
    name: 'a week in a zone of half hours in which clocks are set forward',
    period: 'week',
    timeZone: 'Australia/Adelaide',
    since: '2026-09-27T14:30:00Z',
    until: '2026-10-04T13:30:00Z',
  },
];

test.each(cases)('a limit holds until its period ends, and is whole again then: $name', async (each) => {
  const { period, timeZone } = each;
  const [since, until] = [Date.parse(each.since), Date.parse(each.until)];
  const advanceTo = (at: number) => stage.clock.advance(at - stage.clock.now());
  const limits = [
    { scope: 'account' as const, subjectId: stage.accountId, amount: 100n, renewal: { period, timeZone } },
  ];
  const hold = (wallet: Wallet, requestId: string, amount: bigint) => stage.hold(wallet, requestId, amount, { limits });
  const spend = (wallet: Wallet, requestId: string, amount: bigint) =>
    stage.spend(wallet, requestId, amount, { limits });
  const refused = { case: 'limit-reached', limit: { period, amount: 100n } };

  await advanceTo(since - 5000);
  const early = await stage.process();
  await spend(early.wallet, 'before', 100n);
  await expect(hold(early.wallet, 'too early', 1n)).rejects.toMatchObject({ ...refused, limit: { until: since } });
  await advanceTo(since);
  await spend(early.wallet, 'first', 60n);
  // A peer without the leases or the memory of the first process.
  early.freeze();
  await advanceTo(until - 90_000);
  const late = await stage.process();
  await advanceTo(until - 5000);
  const running = await hold(late.wallet, 'running', 40n);
  await expect(hold(late.wallet, 'too much', 1n)).rejects.toMatchObject({ ...refused, limit: { since, until } });
  expect(stage.clock.now()).toBeLessThan(until);
  await advanceTo(until);
  await spend(late.wallet, 'next', 100n);
  await expect(hold(late.wallet, 'again', 1n)).rejects.toMatchObject({ ...refused, limit: { since: until } });
  await stage.clock.until(running.post(40n));
  early.thaw();
  await stage.clock.advance(10_000);
  await expect(hold(early.wallet, 'thawed', 1n)).rejects.toMatchObject({ ...refused, limit: { since: until } });

  const rows = await stage.store.db.selectFrom('budget_spend').selectAll().orderBy('since').execute();
  expect(rows.map((row) => [row.since, row.until, row.spent])).toMatchObject([
    [expect.any(Number), since, 100],
    [since, until, 100],
    [until, expect.any(Number), 100],
  ]);
});

test('two processes give one limit per day, whatever the time zone is changed to', async () => {
  const book = accounts(stage.store, stage.clock);
  const advanceTo = (at: string) => stage.clock.advance(Date.parse(at) - stage.clock.now());
  await advanceTo('2026-11-19T11:00:00Z');
  const limitsNow = async () => {
    const { timeZone, keptSpans } = (await book.find(stage.accountId))!;
    const renewal = { period: 'day', timeZone, keptSpans } as const;
    return [{ scope: 'account' as const, subjectId: stage.accountId, amount: 100n, renewal }];
  };
  let requests = 0;
  const spend = (wallet: Wallet, amount: bigint, limits: readonly SpendLimit[]): Promise<void> =>
    stage.spend(wallet, `request ${(requests += 1)}`, amount, { limits });
  const processes = [await stage.process(), await stage.process()] as const;
  const [one, two] = [processes[0].wallet, processes[1].wallet];
  /** Both processes are frozen meanwhile: the heartbeats of two days would take half a minute. */
  const skipTo = async (at: string): Promise<void> => {
    for (const each of processes) each.freeze();
    await stage.clock.advance(Date.parse(at) - 60_000 - stage.clock.now());
    for (const each of processes) each.thaw();
    await advanceTo(at);
  };
  const before = await limitsNow();
  await spend(one, 40n, before);
  for (const timeZone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'America/Bogota'] as const) {
    await book.change(stage.accountId as AccountId, { timeZone });
    await stage.publish({ topic: 'account', subject: stage.accountId });
    await spend(two, 10n, await limitsNow());
    // This process has not received the change yet.
    await spend(one, 10n, before);
  }
  const refused = { case: 'limit-reached', limit: { until: Date.parse('2026-11-20T00:00:00Z') } };
  for (const limits of [before, await limitsNow()]) {
    await expect(spend(two, 1n, limits)).rejects.toMatchObject(refused);
  }

  await skipTo('2026-11-20T00:00:00Z');
  await spend(one, 60n, await limitsNow());
  await skipTo('2026-11-21T04:00:00Z');
  await spend(two, 40n, await limitsNow());
  const next = { case: 'limit-reached', limit: { until: Date.parse('2026-11-21T05:00:00Z') } };
  await expect(spend(one, 1n, await limitsNow())).rejects.toMatchObject(next);
  await skipTo('2026-11-21T05:00:00Z');
  await spend(one, 100n, await limitsNow());
  await expect(spend(two, 1n, await limitsNow())).rejects.toMatchObject({ case: 'limit-reached' });
  const rows = await stage.store.db.selectFrom('budget_spend').selectAll().orderBy('since').execute();
  expect(rows.map(({ since, spent }) => [new Date(since).toISOString(), spent])).toEqual([
    ['2026-11-19T00:00:00.000Z', 100],
    ['2026-11-20T00:00:00.000Z', 100],
    ['2026-11-21T05:00:00.000Z', 100],
  ]);
});
