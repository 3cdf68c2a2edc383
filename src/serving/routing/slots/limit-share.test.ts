import { expect, test } from 'vitest';
import { manualClock } from '../../../../test/clocks/manual-clock.ts';
import { LeaseKeeper } from '../../../platform/cluster/lease-keeper.ts';
import { memoryArbiter } from '../../../platform/cluster/memory-arbiter.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { ProviderRefusal } from '../../upstreams/answer/refusal.ts';
import type { Upstream } from '../../upstreams/upstream.ts';
import type { Credential } from '../health/credential.ts';
import { decodeLimit, encodeLimit } from '../health/shared-credential-state.ts';
import { Upstreams } from '../upstreams.ts';

/** How many calls of the model the provider accepts at once, and the configured number. */
const [takes, configured] = [8, 60];
const serviceMs = 200;
const stepMs = 20;

test('all processes divide a limit that one has learned within a second, by load, and stay near it together', async () => {
  const service = await Service.start(['one', 'two', 'three']);
  const [one, two, three] = service.processes as [Process, Process, Process];
  one.wants = 40;
  await service.until(() => one.credential.limit < configured);
  await service.advance(1000);
  expect([two.credential.limit, three.credential.limit]).toEqual([one.credential.limit, one.credential.limit]);

  two.wants = 40;
  three.wants = 40;
  await service.advance(20_000);
  const [before, servedBefore] = [service.refused, service.served];
  await service.advance(60_000);
  const [refused, served] = [service.refused - before, service.served - servedBefore];
  expect(refused / (refused + served)).toBeLessThan(0.08);
  expect((served * serviceMs) / 60_000).toBeGreaterThan(takes * 0.6);
  expect(new Set(service.processes.map(({ credential }) => credential.limit)).size).toBe(1);

  // A busy process gets what idle ones do not use.
  two.wants = 0;
  three.wants = 0;
  await service.advance(5000);
  expect(one.running).toBeGreaterThanOrEqual(takes / 2);
});

test('all processes raise the limit one by one when the provider accepts more calls again', async () => {
  const service = await Service.start(['one', 'two']);
  for (const process of service.processes) process.wants = 40;
  await service.until(() => service.processes.every(({ credential }) => credential.limit < configured / 2));
  service.takes = configured;
  const limits: number[] = [];
  await service.until(() => {
    limits.push(service.processes[0]!.credential.limit);
    return service.processes.every(({ credential }) => credential.limit > configured / 2);
  });
  const steps = limits.slice(1).map((limit, index) => limit - limits[index]!);
  expect(Math.max(...steps)).toBeLessThanOrEqual(service.processes.length);
});

test('a replaced upstream leaves no limit behind at the arbiter', async () => {
  const service = await Service.start(['one', 'two']);
  for (const process of service.processes) process.wants = 40;
  await service.until(() => service.processes.every(({ credential }) => credential.limit < configured));
  const [one] = service.processes as [Process];
  for (const process of service.processes) process.wants = 0;
  await service.advance(2000);
  one.replace();
  await service.advance(2000);
  const members = await one.keeper.overview();
  const named = members.filter(({ process }) => process === 'one').flatMap(({ resources }) => resources);
  expect(named.map(({ name }) => name)).toEqual(['provider']);
});

test('a limit survives encoding and decoding, and an unreadable value decodes to undefined', () => {
  for (const learned of [
    { level: 4, ceiling: 9 },
    { level: undefined, ceiling: Number.POSITIVE_INFINITY },
  ]) {
    const limit = { upstream: 'provider', index: 1, model: 'model', learned };
    expect(decodeLimit(encodeLimit(limit))).toEqual(limit);
  }
  for (const value of ['', '{}', '[]', 'null', '{"upstream":"a","limited":3}']) {
    expect(decodeLimit({ subject: 's', value, forMs: 1 })).toBeUndefined();
  }
});

const full = () => new GatewayError('upstream-failed', { cause: new ProviderRefusal('provider', 429, 'too many') });

/** A provider that accepts `takes` calls at once, and the processes that call it. */
class Service {
  readonly clock = manualClock();
  readonly processes: Process[] = [];
  takes = takes;
  inFlight = 0;
  refused = 0;
  served = 0;

  static async start(names: readonly string[]): Promise<Service> {
    const service = new Service();
    const arbiter = memoryArbiter(service.clock.elapsed);
    for (const [pid, process] of names.entries()) {
      const keeper = new LeaseKeeper({ clock: service.clock, arbiter, process, host: { machine: 'here', pid } });
      service.processes.push(new Process(service, keeper));
      await keeper.start();
    }
    return service;
  }

  async advance(durationMs: number): Promise<void> {
    for (let passed = 0; passed < durationMs; passed += stepMs) {
      for (const process of this.processes) process.call();
      this.clock.advance(stepMs);
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    }
  }

  async until(check: () => boolean): Promise<void> {
    for (let passed = 0; !check(); passed += 100) {
      expect(passed).toBeLessThan(120_000);
      await this.advance(100);
    }
  }
}

class Process {
  readonly keeper: LeaseKeeper;
  readonly #service: Service;
  readonly #upstreams: Upstreams;
  /** How many calls the process tries to keep running. */
  wants = 0;
  running = 0;
  #versions = 0;

  constructor(service: Service, keeper: LeaseKeeper) {
    this.#service = service;
    this.keeper = keeper;
    this.#upstreams = new Upstreams({
      clock: service.clock,
      leases: keeper,
      open: () => ({ name: 'provider', credentials: 1, close: () => {} }) as unknown as Upstream,
      healthChanged: () => {},
      bounds: () => ({ requests: 1000, bytes: 1000 }),
    });
    this.replace();
  }

  get credential(): Credential {
    return this.#upstreams.named('provider')!.credentials[0]!;
  }

  /** Opens the upstream again, as after a configuration change. */
  replace(): void {
    const spec = { name: 'provider', maxConcurrency: configured, version: (this.#versions += 1) };
    this.#upstreams.prepare([spec as never]).use();
  }

  call(): void {
    const { credential } = this;
    while (this.running < this.wants && credential.isOpen('model')) {
      credential.take('model');
      this.running += 1;
      this.#service.clock.after(stepMs / 2, () => this.#decided(credential));
    }
  }

  #decided(credential: Credential): void {
    const service = this.#service;
    if (service.inFlight >= service.takes) {
      service.refused += 1;
      this.running -= 1;
      return credential.failed(full(), 'model');
    }
    service.inFlight += 1;
    credential.begun('model', 5);
    service.clock.after(serviceMs, () => {
      service.inFlight -= 1;
      service.served += 1;
      this.running -= 1;
      credential.completed('model');
    });
  }
}
