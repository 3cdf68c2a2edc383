import { beforeEach, expect, test } from 'vitest';
import { manualClock } from '../../../test/clocks/manual-clock.ts';
import { loadedConfig } from '../../../test/gateways/loaded-config.ts';
import { InvariantViolation } from 'chat-formats/assert.ts';
import type { Arbiter, Report } from '../../platform/cluster/arbiter.ts';
import { memoryArbiter } from '../../platform/cluster/memory-arbiter.ts';
import { ParentArbiter } from './parent-arbiter.ts';
import { Worker } from './worker.ts';
import type { WorkerListener } from './messages.ts';

const clock = manualClock();
const loaded = loadedConfig('listen: { port: 1 }', '/');
const start = {
  workers: 2,
  loaded,
  source: { file: undefined, found: undefined },
  reload: { isSuccessful: true, succeededAt: 0 },
  writes: false,
  announces: false,
};

/** A worker with a channel to its parent that can break. */
interface Linked {
  readonly arbiter: ParentArbiter;
  readonly worker: Worker;
  woken: number;
  crash(): void;
}

let arbiter: Arbiter;
let one: Linked;
let other: Linked;
beforeEach(() => {
  arbiter = memoryArbiter(clock.elapsed);
  [one, other] = [linked(1), linked(2)];
  arbiter.subscribe((processes) => {
    for (const { worker } of [one, other]) worker.wake(processes);
  });
});

function linked(number: number): Linked {
  let listener: WorkerListener | undefined;
  const client = new ParentArbiter((callId, call) => listener?.onMessage({ kind: 'arbiter-call', callId, call }));
  const worker = new Worker({
    clock,
    arbiter,
    onWaiting: () => undefined,
    countAll: () => Promise.resolve([]),
    service: () => undefined,
    start: { ...start, number },
    process: {
      listen: (given) => void (listener = given),
      kill: () => undefined,
      send(message) {
        if (message.kind === 'answer') client.answered(message.callId, message);
        if (message.kind === 'wake') client.woken();
      },
    },
  });
  const link: Linked = { arbiter: client, worker, woken: 0, crash: () => listener?.onExit('SIGKILL') };
  client.subscribe(() => void (link.woken += 1));
  return link;
}

/** The report of a process that wants as many as possible of four slots. */
function greedy(process: string, number: number, has: number): Report {
  const account = { id: process, weight: 1, running: has, waiting: 9 };
  const resource = { name: 'acme', limit: 4, has, running: has, waiting: 9, waitedMs: 0, accounts: [account] };
  const host = { machine: 'here', pid: number };
  return { process, host, number, resources: [resource], dead: [], sharedState: [], sharedStateSeen: 0 };
}

const allowedSlots = async (link: Linked, report: Report) => (await link.arbiter.report(report)).resources[0]!.may;

test('the parent divides slots among its workers, and the slots of a crashed worker are free at once', async () => {
  const first = await allowedSlots(one, greedy('a', 1, 0));
  expect(first).toBeGreaterThan(0);
  expect(await allowedSlots(other, greedy('b', 1, 0))).toBeLessThanOrEqual(4 - first);
  one.crash();
  expect(other.woken).toBeGreaterThan(0);
  const after = await other.arbiter.report(greedy('b', 2, 0));
  expect(after).toMatchObject({ processes: 1, resources: [{ limit: 4 }] });
  expect(await other.arbiter.overview()).toMatchObject([{ process: 'b' }]);
});

test('the arbiter rejects a report that is older than the last one, and forgets a worker that leaves', async () => {
  await one.arbiter.report(greedy('a', 2, 0));
  await expect(one.arbiter.report(greedy('a', 1, 0))).rejects.toThrow('a later report');
  await one.arbiter.leave('a');
  expect(await other.arbiter.overview()).toEqual([]);
});

test('a worker learns that its report violated an invariant in the parent', async () => {
  await expect(one.arbiter.report(greedy('a', 1, Number.NaN))).rejects.toThrow(InvariantViolation);
  await expect(one.arbiter.report(greedy('a', 1, 0))).resolves.toMatchObject({ processes: 1 });
});

test('every call of the arbiter rejects when the parent is gone', async () => {
  const silent = new ParentArbiter(() => undefined);
  const waiting = silent.overview();
  silent.lost();
  await expect(waiting).rejects.toThrow('does not respond');
  await expect(silent.report(greedy('a', 1, 0))).rejects.toThrow('does not respond');
});
