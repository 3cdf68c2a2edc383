import { expect, test } from 'vitest';
import type { Arbiter, Report, ResourceReport } from '../src/cluster/arbiter.ts';
import { eventually } from './eventually.ts';

/** The way of a process to the one arbiter of a test, which goes by this clock. */
type Way = (process: string, now: () => number) => Promise<Arbiter>;

/** What every arbiter does, whatever its book is kept in. No process is silent but when a test lets time pass. */
export function arbiterSuite(open: Way): void {
  let nowMs = 1_700_000_000_000;
  const way = (process: string): Promise<Arbiter> => open(process, () => nowMs);

  /** Lets time pass, after which only the other process reports again. */
  async function silence(process: string, other: Arbiter, forMs: number): Promise<void> {
    const member = (await other.overview()).find((each) => each.process !== process);
    nowMs += forMs;
    if (member) await other.report(report(member.process, { number: member.number + 1 }, member.resources));
  }

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
      expect(heard, 'the process with too many slots is called').toContain('a');
    });
    heard.length = 0;
    await a.leave('a');
    await eventually(() => expect(heard, 'the process that waits is called').toContain('b'));
    expect(await may(b, report('b', { number: number + 1 }, [wanting(0, 20)]))).toBe(limit);
  });

  test('what a silent process has counts until it can no longer run, unless somebody knows that it is gone', async () => {
    const [a, b] = [await way('a'), await way('b')];
    await a.report(report('a', {}, [wanting(0, 20)]));
    await b.report(report('b', {}, [wanting(0, 20)]));
    await silence('a', b, 9000);
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
    await silence('b', a, -3_600_000);
    await a.report(report('a', { number: 5 }, [wanting(0, 20)]));
    const heard = (await a.overview()).map(({ heardMs, awakeSinceMs }) => [heardMs, awakeSinceMs]).flat();
    expect(heard).toHaveLength(4);
    expect(Math.max(...heard) - Math.min(...heard)).toBeLessThan(60_000);
  });

  test('what an account has elsewhere is told to whoever has it here', async () => {
    const [a, b] = [await way('a'), await way('b')];
    const demand = { id: 'x', weight: 1, running: 2, waiting: 3, used: 0 };
    await a.report(report('a', {}, [{ ...wanting(2, 0), accounts: [demand] }]));
    const { resources, processes } = await b.report(report('b', {}, [wanting(0, 1)]));
    expect(processes).toBe(2);
    expect(resources).toMatchObject([
      { name: 'provider', elsewhere: { running: 2, waiting: 0 }, accounts: [{ id: 'x', running: 2, wants: 5 }] },
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
