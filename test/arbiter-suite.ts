import { expect, test } from 'vitest';
import type { Arbiter, Report, ResourceReport } from '../src/platform/cluster/arbiter.ts';
import { eventually } from './eventually.ts';

/** Connects a process to the arbiter of the test, which uses this clock. */
type ConnectToArbiter = (process: string, now: () => number) => Promise<Arbiter>;

/**
 * The contract of every arbiter, for each kind of storage. Heartbeats are missing only when a test advances the time.
 */
export function arbiterSuite(open: ConnectToArbiter): void {
  let nowMs = 1_700_000_000_000;
  const connect = (process: string): Promise<Arbiter> => open(process, () => nowMs);

  /** Advances the time, after which only the other process reports again. */
  async function silence(process: string, other: Arbiter, forMs: number): Promise<void> {
    const member = (await other.overview()).find((each) => each.process !== process);
    nowMs += forMs;
    if (member) await other.report(report(member.process, { number: member.number + 1 }, member.resources));
  }

  test('the slots of all processes never exceed the limit, and a released slot goes to another process', async () => {
    const [a, b] = [await connect('a'), await connect('b')];
    expect(await grantedSlots(a, report('a', {}, [wanting(0, 20)]))).toBe(limit);
    expect(await grantedSlots(b, report('b', {}, [wanting(0, 20)]))).toBe(0);
    expect(await grantedSlots(a, report('a', { number: 2 }, [wanting(limit, 9)]))).toBe(5);
    expect(await grantedSlots(b, report('b', { number: 2 }, [wanting(0, 20)]))).toBe(0);
    expect(await grantedSlots(a, report('a', { number: 3 }, [{ ...wanting(7, 13), has: 7 }]))).toBe(5);
    expect(await grantedSlots(b, report('b', { number: 3 }, [wanting(0, 20)]))).toBe(4);
  });

  test('the arbiter rejects a report that arrives after a later one', async () => {
    const a = await connect('a');
    await a.report(report('a', { number: 2 }, [wanting(0, 5)]));
    await expect(a.report(report('a', { number: 1 }, [wanting(0, 1)]))).rejects.toThrow('a later report');
    const [member] = await a.overview();
    expect(member).toMatchObject({ process: 'a', number: 2, resources: [{ waiting: 5 }] });
  });

  test('a waiting process is notified when a slot is free, and one with too many slots when others need them', async () => {
    const [a, b] = [await connect('a'), await connect('b')];
    const notified: string[] = [];
    for (const each of new Set([a, b])) each.subscribe((processes) => notified.push(...processes));
    // A subscription takes effect after a while, so the test repeats the report until then.
    let number = 0;
    await a.report(report('a', { number: (number += 1) }, [{ ...wanting(limit, 10), has: limit }]));
    await eventually(async () => {
      await b.report(report('b', { number: (number += 1) }, [wanting(0, 20)]));
      expect(notified, 'the process with too many slots is notified').toContain('a');
    });
    notified.length = 0;
    await a.leave('a');
    await eventually(() => expect(notified, 'the waiting process is notified').toContain('b'));
    expect(await grantedSlots(b, report('b', { number: number + 1 }, [wanting(0, 20)]))).toBe(limit);
  });

  test('the slots of a silent process count until its lease ends, unless a peer reports that it is gone', async () => {
    const [a, b] = [await connect('a'), await connect('b')];
    await a.report(report('a', {}, [wanting(0, 20)]));
    await b.report(report('b', {}, [wanting(0, 20)]));
    await silence('a', b, 9000);
    expect(await grantedSlots(b, report('b', { number: 5 }, [wanting(0, 20)]))).toBe(0);
    const { silent } = await b.report(report('b', { number: 6 }, [wanting(0, 20)]));
    expect(silent).toEqual([{ process: 'a', host: { machine: 'here', pid: 1 } }]);
    expect(await grantedSlots(b, report('b', { number: 7, dead: ['a'] }, [wanting(0, 20)]))).toBe(limit);
    expect((await b.overview()).map(({ process }) => process)).toEqual(['b']);
  });

  test('after the clock is set back, a report from before counts as made now', async () => {
    const [a, b] = [await connect('a'), await connect('b')];
    await a.report(report('a', {}, [wanting(0, 20)]));
    await b.report(report('b', {}, [wanting(0, 20)]));
    await silence('b', a, -3_600_000);
    await a.report(report('a', { number: 5 }, [wanting(0, 20)]));
    const times = (await a.overview()).map(({ heartbeatMs, awakeSinceMs }) => [heartbeatMs, awakeSinceMs]).flat();
    expect(times).toHaveLength(4);
    expect(Math.max(...times) - Math.min(...times)).toBeLessThan(60_000);
  });

  test('a report returns what each account uses in other processes', async () => {
    const [a, b] = [await connect('a'), await connect('b')];
    const demand = { id: 'x', weight: 1, running: 2, waiting: 3 };
    await a.report(report('a', {}, [{ ...wanting(2, 0), accounts: [demand] }]));
    const { resources, processes } = await b.report(report('b', {}, [wanting(0, 1)]));
    expect(processes).toBe(2);
    expect(resources).toMatchObject([
      { name: 'provider', elsewhere: { running: 2, waiting: 0 }, accounts: [{ id: 'x', running: 2, wants: 5 }] },
    ]);
  });

  test('shared state reaches each peer once, with the last value of each subject, until it expires', async () => {
    const [a, b] = [await connect('a'), await connect('b')];
    const state = (value: string, forMs = 60_000) => [{ subject: 's', value, forMs }];
    await a.report(report('a', { number: 1, sharedState: state('one') }));
    await a.report(
      report('a', { number: 2, sharedState: [...state('two'), { subject: 'over', value: '', forMs: 0 }] }),
    );
    const { sharedState, sharedStateSeen } = await b.report(report('b', { number: 1 }));
    expect(sharedState).toMatchObject([{ subject: 's', value: 'two' }]);
    expect(await b.report(report('b', { number: 2, sharedStateSeen }))).toMatchObject({ sharedState: [] });
    expect(await a.report(report('a', { number: 3 }))).toMatchObject({ sharedState: [] });
  });
}

/** One slot in reserve, and five for each of two processes. */
const limit = 11;

function wanting(running: number, waiting: number): ResourceReport {
  const accounts = [{ id: 'x', weight: 1, running, waiting }];
  return { name: 'provider', limit, has: running, running, waiting, accounts };
}

function report(process: string, more: Partial<Report>, resources: readonly ResourceReport[] = []): Report {
  return {
    process,
    host: { machine: 'here', pid: 1 },
    number: 1,
    dead: [],
    sharedState: [],
    sharedStateSeen: 0,
    resources,
    ...more,
  };
}

async function grantedSlots(arbiter: Arbiter, sent: Report): Promise<number> {
  const { resources } = await arbiter.report(sent);
  return resources[0]!.may;
}
