import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../../test/eventually.ts';
import { testStores } from '../../test/stores.ts';
import type { Arbiter, Report, ResourceReport } from './arbiter.ts';
import { memoryArbiter } from './memory-arbiter.ts';
import { postgresArbiter } from './postgres-arbiter.ts';

/** Ways to one arbiter, one for each process, and how to let a process be silent for a while. */
interface Transport {
  way(process: string): Promise<Arbiter>;
  silence(process: string, forMs: number): Promise<void>;
}

describe('in memory', () => {
  let nowMs = 1_000_000;
  const arbiters: Arbiter[] = [];
  suite({
    async way() {
      // The first of a test has it; what one test leaves behind is another's past.
      return arbiters[0] ?? (arbiters[0] = memoryArbiter(() => nowMs));
    },
    async silence(process, forMs) {
      const [member] = (await arbiters[0]!.overview()).filter((each) => each.process !== process);
      nowMs += forMs;
      if (member) await arbiters[0]!.report(report(member.process, { number: member.number + 1 }, member.resources));
    },
  });
  afterEach(() => void (arbiters.length = 0));
});

describe('on PostgreSQL', () => {
  const stores = testStores('postgres');
  let ways: { stop(): Promise<void> }[] = [];
  suite({
    async way(process) {
      const store = await stores.open();
      const arbiter = postgresArbiter({ store, database: stores.place().database!, process });
      ways.push(arbiter);
      return arbiter;
    },
    async silence(process, forMs) {
      const store = await stores.open();
      const { member } = await store.db
        .selectFrom('place_members')
        .select('member')
        .where('process', '=', process)
        .executeTakeFirstOrThrow();
      const before = JSON.parse(member) as { heardMs: number; awakeSinceMs: number };
      const silent = { ...before, heardMs: before.heardMs - forMs, awakeSinceMs: before.awakeSinceMs - forMs };
      await store.db
        .updateTable('place_members')
        .set({ member: JSON.stringify(silent) })
        .where('process', '=', process)
        .execute();
    },
  });
  afterEach(async () => {
    await Promise.all(ways.map((way) => way.stop()));
    ways = [];
  });
});

function suite({ way, silence }: Transport): void {
  test('what all have together is never above the limit, and what one gives another may have', async () => {
    const [a, b] = [await way('a'), await way('b')];
    expect(await may(a, report('a', {}, [wanting(0, 20)]))).toBe(limit);
    expect(await may(b, report('b', {}, [wanting(0, 20)]))).toBe(0);
    expect(await may(a, report('a', { number: 2 }, [wanting(limit, 9)]))).toBe(5);
    expect(await may(b, report('b', { number: 2 }, [wanting(0, 20)]))).toBe(0);
    expect(await may(a, report('a', { number: 3 }, [{ ...wanting(7, 13), has: 7 }]))).toBe(5);
    expect(await may(b, report('b', { number: 3 }, [wanting(0, 20)]))).toBe(4);
  });

  test('a report that was overtaken changes nothing', async () => {
    const a = await way('a');
    await a.report(report('a', { number: 2 }, [wanting(0, 5)]));
    await expect(a.report(report('a', { number: 1 }, [wanting(0, 1)]))).rejects.toThrow('a later report');
    const [member] = await a.overview();
    expect(member).toMatchObject({ process: 'a', number: 2, resources: [{ waiting: 5 }] });
  });

  test('whoever waits hears at once when something is free, and who has too much that it is wanted', async () => {
    const [a, b] = [await way('a'), await way('b')];
    const heard: string[] = [];
    for (const each of new Set([a, b])) each.subscribe((processes) => heard.push(...processes));
    // A listener begins to hear at some time; until then it is said again.
    let number = 0;
    await a.report(report('a', { number: (number += 1) }, [{ ...wanting(limit, 10), has: limit }]));
    await eventually(async () => {
      await b.report(report('b', { number: (number += 1) }, [wanting(0, 20)]));
      expect(heard).toContain('a');
    });
    heard.length = 0;
    await a.leave('a');
    await eventually(() => expect(heard).toContain('b'));
    expect(await may(b, report('b', { number: number + 1 }, [wanting(0, 20)]))).toBe(limit);
  });

  test('what a silent process has counts until it can no longer run, unless somebody knows that it is gone', async () => {
    const [a, b] = [await way('a'), await way('b')];
    await a.report(report('a', {}, [wanting(0, 20)]));
    await b.report(report('b', {}, [wanting(0, 20)]));
    await silence('a', 9000);
    expect(await may(b, report('b', { number: 5 }, [wanting(0, 20)]))).toBe(0);
    const { silent } = await b.report(report('b', { number: 6 }, [wanting(0, 20)]));
    expect(silent).toEqual([{ process: 'a', home: { machine: 'here', pid: 1 } }]);
    expect(await may(b, report('b', { number: 7, dead: ['a'] }, [wanting(0, 20)]))).toBe(limit);
    expect((await b.overview()).map(({ process }) => process)).toEqual(['b']);
  });

  test('who was heard of before the clock was set back was heard of now', async () => {
    const [a, b] = [await way('a'), await way('b')];
    await a.report(report('a', {}, [wanting(0, 20)]));
    await b.report(report('b', {}, [wanting(0, 20)]));
    await silence('b', -3_600_000);
    await a.report(report('a', { number: 5 }, [wanting(0, 20)]));
    const heard = (await a.overview()).map(({ heardMs, awakeSinceMs }) => [heardMs, awakeSinceMs]).flat();
    expect(heard).toHaveLength(4);
    expect(Math.max(...heard) - Math.min(...heard)).toBeLessThan(60_000);
  });

  test('what an account has elsewhere is told to whoever has it here', async () => {
    const [a, b] = [await way('a'), await way('b')];
    const used = { id: 'x', weight: 1, running: 2, waiting: 0, used: 500 };
    await a.report(report('a', {}, [{ ...wanting(2, 0), accounts: [used] }]));
    const { resources, processes } = await b.report(report('b', {}, [wanting(0, 1)]));
    expect(processes).toBe(2);
    expect(resources).toMatchObject([
      { name: 'provider', elsewhere: { running: 2, waiting: 0 }, accounts: [{ id: 'x', running: 2, used: 500 }] },
    ]);
  });

  test('news reach the others once, the last word on each subject, until it is over', async () => {
    const [a, b] = [await way('a'), await way('b')];
    const say = (value: string, forMs = 60_000) => [{ subject: 's', value, forMs }];
    await a.report(report('a', { number: 1, news: say('one') }));
    await a.report(report('a', { number: 2, news: [...say('two'), { subject: 'over', value: '', forMs: 0 }] }));
    const { news, newsSeen } = await b.report(report('b', { number: 1 }));
    expect(news).toMatchObject([{ subject: 's', value: 'two' }]);
    expect(await b.report(report('b', { number: 2, newsSeen }))).toMatchObject({ news: [] });
    expect(await a.report(report('a', { number: 3 }))).toMatchObject({ news: [] });
  });
}

/** With the reserve, five for each of two. */
const limit = 11;

function wanting(running: number, waiting: number): ResourceReport {
  const accounts = [{ id: 'x', weight: 1, running, waiting, used: 0 }];
  return { name: 'provider', limit, has: running, running, waiting, accounts };
}

function report(process: string, more: Partial<Report>, resources: readonly ResourceReport[] = []): Report {
  return { process, home: { machine: 'here', pid: 1 }, number: 1, dead: [], news: [], newsSeen: 0, resources, ...more };
}

async function may(arbiter: Arbiter, said: Report): Promise<number> {
  const { resources } = await arbiter.report(said);
  return resources[0]!.may;
}
