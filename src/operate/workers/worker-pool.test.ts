import { beforeEach, expect, test } from 'vitest';
import { type ManualClock, manualClock } from '../../../test/clocks/manual-clock.ts';
import { loadedConfig } from '../../../test/gateways/loaded-config.ts';
import { memoryArbiter } from '../../platform/cluster/memory-arbiter.ts';
import { sumOf } from './service-state.ts';
import type { FromWorker, ToWorker, WorkerListener, WorkerProcess } from './messages.ts';
import { WorkerPool } from './worker-pool.ts';

/** A worker process that sends only the messages of the test. */
class Puppet implements WorkerProcess {
  readonly received: ToWorker[] = [];
  isKilled = false;
  #listener: WorkerListener | undefined;

  send(message: ToWorker): void {
    this.received.push(message);
  }

  listen(listener: WorkerListener): void {
    this.#listener = listener;
  }

  kill(): void {
    this.isKilled = true;
    this.#listener?.onExit('SIGKILL');
  }

  sends(message: FromWorker): void {
    this.#listener?.onMessage(message);
  }

  serves(announcement?: string): void {
    this.sends({ kind: 'up' });
    this.sends({ kind: 'ready', announcement });
  }

  get kinds(): readonly string[] {
    return this.received.map(({ kind }) => kind).filter((kind) => kind !== 'service');
  }
}

let clock: ManualClock;
let puppets: Puppet[];
let complaints: string[];
let pool: WorkerPool;
const first = loadedConfig('listen: { port: 1 }', '/');
const second = loadedConfig('listen: { port: 2 }', '/');
const reloadedAt = (succeededAt: number, isSuccessful = true) => ({ isSuccessful, succeededAt });
beforeEach(() => {
  [clock, puppets, complaints] = [manualClock(), [], []];
  const fork = () => {
    const puppet = new Puppet();
    puppets.push(puppet);
    return puppet;
  };
  const source = { file: undefined, found: undefined };
  const arbiter = memoryArbiter(clock.elapsed);
  const complain = (line: string) => void complaints.push(line);
  pool = new WorkerPool({ clock, workers: 2, source, reload: reloadedAt(1), fork, arbiter, complain }, first);
});

/** Resolves after pending promises have settled. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

async function startBoth(): Promise<void> {
  const started = pool.start();
  puppets[0]!.serves('hello');
  await settled();
  puppets[1]!.serves();
  expect(await started).toBe('hello');
}

test('the first worker writes and announces before another begins', async () => {
  const started = pool.start();
  puppets[0]!.sends({ kind: 'up' });
  expect(puppets[0]!.received).toMatchObject([{ kind: 'start', number: 1, workers: 2, writes: true, announces: true }]);
  await settled();
  expect(puppets).toHaveLength(1);
  puppets[0]!.serves('hello');
  await settled();
  puppets[1]!.serves();
  await started;
  expect(puppets[1]!.received[0]).toMatchObject({ kind: 'start', number: 2, writes: false, announces: false });
});

test('a restart that is ordered during the start begins when all workers serve', async () => {
  const started = pool.start();
  const rolled = pool.roll();
  puppets[0]!.serves('hello');
  await settled();
  expect(puppets).toHaveLength(2);
  puppets[1]!.serves();
  await started;
  for (const at of [2, 3]) {
    await settled();
    expect(puppets).toHaveLength(at + 1);
    puppets[at]!.serves();
  }
  expect(await rolled).toBe(true);
});

test('only a worker that starts later receives the state of the service before its start', async () => {
  await startBoth();
  const before = puppets.map(({ received }) => received[0]?.kind);
  void pool.roll();
  await settled();
  puppets[2]!.sends({ kind: 'up' });
  expect([...before, puppets[2]!.received[0]?.kind]).toEqual(['start', 'start', 'service']);
});

test('one worker receives the reason of a rejected reload, and every later worker receives the result', async () => {
  await startBoth();
  const refusal = { file: 'gateway.yaml', reason: 'It has one problem.', problems: [] };
  pool.reloaded({ state: reloadedAt(1, false), refusal });
  const state = reloadedAt(1, false);
  expect(puppets.map(({ received }) => received.filter(({ kind }) => kind === 'reloaded'))).toEqual([
    [{ kind: 'reloaded', state, refusal }],
    [{ kind: 'reloaded', state }],
  ]);
  puppets[1]!.kill();
  await settled();
  clock.advance(0);
  pool.reloaded({ state: reloadedAt(2) });
  puppets[2]!.serves();
  await settled();
  const received = puppets[2]!.received.filter(({ kind }) => kind === 'start' || kind === 'reloaded');
  expect(received).toMatchObject([
    { kind: 'start', reload: state },
    { kind: 'reloaded', state: reloadedAt(2) },
  ]);
});

test('the gateway does not start if the first worker cannot serve', async () => {
  const started = pool.start();
  const why = { message: 'The port is taken.', reason: 'port_taken', params: { port: 8080 } };
  puppets[0]!.sends({ kind: 'refused', next: 'Choose another.', ...why });
  await expect(started).rejects.toMatchObject({ fix: 'Choose another.', ...why });
  expect([puppets.length, puppets[0]!.isKilled]).toEqual([1, true]);
});

test('a worker that crashes is replaced at once, and with a longer back-off each time it crashes again', async () => {
  await startBoth();
  for (const pauseMs of [0, 250, 500, 1000]) {
    const before = puppets.length;
    puppets.at(-1)!.kill();
    await settled();
    if (pauseMs > 0) clock.advance(pauseMs - 1);
    expect(puppets.length).toBe(before);
    clock.advance(1);
    expect(puppets.length).toBe(before + 1);
    puppets.at(-1)!.serves();
  }
  expect(complaints[1]).toBe('Worker 2 ended (SIGKILL). Its replacement starts in 0.3 s.');
  clock.advance(60_000);
  puppets.at(-1)!.kill();
  await settled();
  expect(complaints.at(-1)).toBe('Worker 2 ended (SIGKILL). Its replacement starts now.');
});

test('a worker that is suspended or stuck is killed and replaced, a slow one is not', async () => {
  await startBoth();
  const state = { kind: 'state', checks: [], figures: sumOf([]) } as const;
  for (let round = 0; round < 61; round += 1) {
    // The first worker sends its state just in time.
    if (round === 59) puppets[0]!.sends(state);
    clock.advance(500);
  }
  await settled();
  expect([puppets[0]!.isKilled, puppets[1]!.isKilled]).toEqual([false, true]);
  expect(complaints[0]).toBe('Worker 2 has sent nothing for 30 s. It is suspended or stuck, and is killed.');
  expect(complaints[1]).toBe('Worker 2 ended (SIGKILL). Its replacement starts now.');
  clock.advance(0);
  expect(puppets).toHaveLength(3);
});

test('a worker that leaves by itself is replaced while it finishes its answers', async () => {
  await startBoth();
  puppets[1]!.sends({ kind: 'leaving', why: 'an unexpected error' });
  await settled();
  clock.advance(0);
  expect(complaints).toEqual(['Worker 2 ended (an unexpected error). Its replacement starts now.']);
  puppets[2]!.serves();
  puppets[1]!.kill();
  await settled();
  clock.advance(60_000);
  expect(puppets).toHaveLength(3);
});

test('a gateway that is stopped while it starts reports no error', async () => {
  const started = pool.start();
  const stopped = pool.stop();
  puppets[0]!.kill();
  await stopped;
  expect([await started, puppets.length]).toEqual([undefined, 1]);
});

test('one worker writes a new configuration, and the others receive it only if that succeeded', async () => {
  await startBoth();
  const refused = pool.apply(second);
  await settled();
  puppets[0]!.sends({ kind: 'applied', order: 1, ok: false, message: 'no' });
  expect(await refused).toMatchObject({ ok: false, message: 'no' });
  expect(puppets[1]!.kinds).toEqual(['start']);

  const applied = pool.apply(second);
  await settled();
  puppets[0]!.sends({ kind: 'applied', order: 2, ok: true, needsRestart: ['listen'] });
  await settled();
  expect(puppets[1]!.received.at(-1)).toMatchObject({ kind: 'apply', loaded: second, writes: false });
  puppets[1]!.sends({ kind: 'applied', order: 1, ok: true, needsRestart: [] });
  expect(await applied).toMatchObject({ ok: true, needsRestart: ['listen'] });

  puppets[1]!.kill();
  await settled();
  clock.advance(0);
  puppets[2]!.sends({ kind: 'up' });
  expect(puppets[2]!.received).toContainEqual(expect.objectContaining({ kind: 'start', loaded: second }));
});

test('a worker that starts during a reload receives the new configuration when it serves', async () => {
  await startBoth();
  puppets[1]!.kill();
  await settled();
  clock.advance(0);
  puppets[2]!.sends({ kind: 'up' });
  const applied = pool.apply(second);
  await settled();
  puppets[0]!.sends({ kind: 'applied', order: 1, ok: true, needsRestart: [] });
  expect(await applied).toMatchObject({ ok: true });
  expect(puppets[2]!.received.slice(1)).toMatchObject([{ kind: 'start', loaded: first }]);
  puppets[2]!.sends({ kind: 'ready', announcement: undefined });
  await settled();
  expect(puppets[2]!.received.at(-1)).toMatchObject({ kind: 'apply', loaded: second, writes: false });
});

test('a worker that stays writes a new configuration, not one that finishes its answers', async () => {
  await startBoth();
  const rolled = pool.roll();
  await settled();
  puppets[2]!.serves();
  await settled();
  puppets[3]!.serves();
  await rolled;
  puppets[3]!.sends({ kind: 'leaving', why: 'SIGTERM' });
  await settled();
  const applied = pool.apply(second);
  await settled();
  expect(puppets.map(({ kinds }) => kinds.at(-1))).toEqual(['retire', 'retire', 'apply', 'start']);
  expect(puppets[2]!.received.at(-1)).toMatchObject({ kind: 'apply', loaded: second, writes: true });
  puppets[2]!.sends({ kind: 'applied', order: 1, ok: true, needsRestart: [] });
  for (const finishing of [puppets[0]!, puppets[1]!, puppets[3]!]) {
    await settled();
    expect(finishing.received.at(-1)).toMatchObject({ kind: 'apply', loaded: second, writes: false });
    finishing.kill();
  }
  expect(await applied).toMatchObject({ ok: true });
});

test('a worker that is suspended while the gateway stops is killed, and does not block the stop', async () => {
  await startBoth();
  const stopped = pool.stop();
  const state = { kind: 'state', checks: [], figures: sumOf([]) } as const;
  for (let round = 0; round < 61; round += 1) {
    puppets[0]!.sends(state);
    clock.advance(500);
  }
  await settled();
  expect([puppets[0]!.isKilled, puppets[1]!.isKilled]).toEqual([false, true]);
  puppets[0]!.kill();
  await stopped;
  expect(puppets).toHaveLength(2);
});

test('in a rolling restart each worker leaves when its replacement serves', async () => {
  await startBoth();
  const rolled = pool.roll();
  await settled();
  puppets[2]!.sends({ kind: 'up' });
  expect(puppets[0]!.kinds).toEqual(['start']);
  puppets[2]!.serves();
  await settled();
  expect([puppets[0]!.kinds.at(-1), puppets[1]!.kinds.at(-1)]).toEqual(['retire', 'start']);
  puppets[3]!.serves();
  expect(await rolled).toBe(true);
  expect(puppets[1]!.kinds.at(-1)).toBe('retire');
  for (const old of puppets.slice(0, 2)) old.kill();
  await settled();
  clock.advance(1000);
  expect([puppets.length, complaints]).toEqual([4, []]);
});

test('a replacement that cannot serve ends a rolling restart, and the current workers stay', async () => {
  await startBoth();
  const rolled = pool.roll();
  await settled();
  puppets[2]!.sends({
    kind: 'refused',
    message: 'it is broken',
    next: undefined,
    reason: 'internal_error',
    params: {},
  });
  expect(await rolled).toBe(false);
  expect(complaints).toEqual(['Worker 1 was not replaced: it is broken']);
  expect([puppets[0]!.kinds, puppets[1]!.kinds]).toEqual([['start'], ['start']]);
  clock.advance(1000);
  expect(puppets).toHaveLength(3);
});

test('a gateway that stops starts no workers any more, and has stopped when the last worker has ended', async () => {
  await startBoth();
  puppets[0]!.kill();
  await settled();
  const stopped = pool.stop();
  expect(puppets[1]!.received.at(-1)).toEqual({ kind: 'stop', graceMs: undefined });
  clock.advance(20_000);
  expect(puppets).toHaveLength(2);
  puppets[1]!.kill();
  await stopped;
});

test('all workers receive the state of the service, and a silent worker does not count as ready', async () => {
  await startBoth();
  const checks = [{ name: 'store', problem: undefined }];
  const figures = sumOf([]);
  for (const puppet of puppets) puppet.sends({ kind: 'state', checks, figures });
  clock.advance(500);
  expect(puppets[0]!.received.at(-1)).toEqual({
    kind: 'service',
    checks: [...checks, { name: 'workers', problem: undefined, note: undefined }],
    figures,
  });
  clock.advance(4800);
  puppets[1]!.sends({ kind: 'state', checks, figures });
  clock.advance(700);
  expect(puppets[1]!.received.at(-1)).toMatchObject({ checks: [{}, { note: '1 of 2 are ready.' }] });
});
