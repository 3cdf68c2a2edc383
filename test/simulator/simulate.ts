import { setBilling } from '../../src/money/billing/budgets/limit-changes.ts';
import { credits } from '../../src/money/billing/ledger/credits.ts';
import { verifyLedger } from '../../src/money/billing/ledger/verify.ts';
import { InvariantViolation } from 'chat-formats/assert.ts';
import type { Store } from '../../src/platform/store/store.ts';
import { transactions } from '../../src/platform/store/transactions.ts';
import { memoryArbiter } from '../../src/platform/cluster/memory-arbiter.ts';
import { leftAfterCleanUp } from './batch-state-watch.ts';
import { BatchWatch } from './batch-watch.ts';
import { ChangeBus } from './change-bus.ts';
import { checkCharges } from './charges.ts';
import { Network } from './cluster/network.ts';
import { Disks } from './disks.ts';
import { KeyBook, keyOf } from './key-book.ts';
import { checkCaps, checkLimits, KeySlotWatch } from './key-watch.ts';
import { epochMs, Machine } from './machine.ts';
import { MoneyWatch } from './money-watch.ts';
import { Providers } from './provider.ts';
import { checkReplies } from './replies.ts';
import { ReplyWatch } from './reply-watch.ts';
import type { Disaster, Family, Scenario } from './scenario.ts';
import type { SharedStore } from './shared-store.ts';
import { SimulatedGateway, usualTiming, type WorldParts } from './simulated-gateway.ts';
import { realTime, World } from './world.ts';

export interface Verdict {
  /** The broken rules, each as a sentence; empty if all were kept. */
  readonly broken: readonly string[];
  readonly steps: number;
  /** Identical for every play of the same seed. */
  readonly trace: string;
}

/** Long enough for every answer to end, and for the leases of expired processes to return. */
const settleMs = 110_000;

const settleStepMs = 5000;

/** Plays one world to its end. */
export async function simulate(store: SharedStore, family: Family, seed: number): Promise<Verdict> {
  const world = new World(seed, realTime);
  // By default, half of the worlds run all processes on one machine, with the store on its disk.
  const scenario = { isOneMachine: seed % 2 === 0, ...family(world) };
  const broken: string[] = [];
  const note = (rule: string): void => {
    if (broken.length < rulesShown) broken.push(`${Math.round(world.nowMs)} ms: ${rule}`);
  };
  store.enter(world, scenario.mood);
  await fund(store, scenario);
  const play = new Play(world, scenario, store, note);
  await play.begin();
  await world.play(scenario.durationMs, () => play.check());
  for (const untilMs = world.nowMs + settleMs; world.nowMs < untilMs && !play.isIdle; ) {
    await world.play(world.nowMs + settleStepMs, () => play.check());
  }
  await play.end();
  const life = { calls: play.providers.calls, clients: play.clients, lines: play.lineCalls };
  for (const rule of scenario.check(life)) note(rule);
  const trace = JSON.stringify([life.calls, life.clients.map(({ ending, endedMs }) => [ending, endedMs]), broken]);
  return { broken, steps: world.steps, trace };
}

/** How messages travel between a gateway and the arbiter. */
const arbiterMood = { latencyMs: 20, lossShare: 0 };

const rulesShown = 10;
const restartMs = 1000;
const cleanUpMs = 10_000;
const dayMs = 24 * 3_600_000;

class Play {
  readonly #world: World;
  readonly #scenario: Scenario;
  readonly #store: SharedStore;
  readonly #note: (rule: string) => void;
  readonly #parts: WorldParts;
  readonly #machines: Machine[] = [];
  readonly #gateways: SimulatedGateway[] = [];
  readonly #all: SimulatedGateway[] = [];
  readonly providers: Providers;
  readonly #money: MoneyWatch;
  readonly #lines: BatchWatch;
  readonly #replies: ReplyWatch;
  readonly #keys: KeyBook;
  readonly #bus: ChangeBus;
  readonly #network: Network;

  constructor(world: World, scenario: Scenario, store: SharedStore, note: (rule: string) => void) {
    this.#world = world;
    this.#scenario = scenario;
    this.#store = store;
    this.#note = note;
    const limits = new Map(scenario.upstreams.map(({ name, maxConcurrency }) => [name, maxConcurrency]));
    this.providers = new Providers(world, limits, scenario.conduct, note, scenario.sharesSlots);
    this.#money = new MoneyWatch(world, store, this.#machines, note);
    const { batches } = scenario;
    const watched = { world, store, batches, providers: this.providers, machines: this.#machines, broken: note };
    this.#lines = new BatchWatch(watched);
    const bus = new ChangeBus(world);
    const isAlive = (name: string): boolean =>
      this.#machines.some((each) => each.name === name && each.state !== 'dead');
    const arbiter = memoryArbiter(() => world.nowMs, isAlive);
    const network = new Network(world, arbiter, arbiterMood);
    this.#network = network;
    this.#bus = bus;
    const disks = new Disks(scenario.isOneMachine ?? false, scenario.diskMs ?? (() => 1));
    const { paused } = this.providers;
    const { timing = usualTiming } = scenario;
    const clients = () => this.clients;
    this.#replies = new ReplyWatch({ world, store, disks, paused, clients, timing, broken: note });
    this.#keys = new KeyBook(world, bus, scenario.keys, scenario.limits);
    const accounts = new Map(scenario.plans.map(({ id, accountId }) => [id, accountId]));
    const isContended = scenario.upstreams.some(({ maxConcurrency }) => maxConcurrency < scenario.plans.length);
    const arrivedMs = (requestId: string) => this.clients.find(({ plan }) => plan.id === requestId)?.arrivedMs;
    const machineNamed = (name: string) => this.#machines.find((machine) => machine.name === name);
    const keySlots = new KeySlotWatch({
      book: this.#keys,
      accountOf: (requestId) => accounts.get(requestId),
      machineOf: machineNamed,
      isShared: scenario.sharesSlots ?? false,
      hasSlotSinceMs: ({ requestId, atMs }) => (isContended && arrivedMs(requestId)) || atMs,
      broken: note,
    });
    this.providers.begins = (call) => {
      keySlots.begins(call, this.providers.calls);
      this.#lines.begins(call);
    };
    this.#parts = {
      world,
      scenario,
      store,
      bus,
      keys: this.#keys,
      machineNamed,
      providers: this.providers,
      money: this.#money,
      lines: this.#lines,
      replies: this.#replies,
      disks,
      arbiter: scenario.sharesSlots ? (machine) => network.from(machine, () => false) : undefined,
      alarm: (error) => {
        if (error instanceof InvariantViolation) note(`an assertion failed: ${error.message}`);
      },
    };
  }

  get lineCalls() {
    return this.#lines.calls;
  }

  get clients() {
    return this.#all.flatMap(({ clients }) => clients);
  }

  async begin(): Promise<void> {
    this.#keys.begin();
    for (let index = 0; index < this.#scenario.gateways; index += 1) this.#start(index, 0);
    for (const plan of this.#scenario.plans) {
      this.#world.after(plan.atMs, () => {
        const gateway = this.#gateways[plan.gateway];
        // Clients cannot connect to a gateway that is dead or has not started.
        if (gateway?.isServing) gateway.serve(plan);
      });
    }
    for (const plan of this.#scenario.batches?.plans ?? []) {
      this.#world.after(plan.atMs, () => {
        const gateway = this.#gateways[plan.gateway];
        if (gateway?.isServing) gateway.machine.deliver(() => gateway.batches?.create(plan));
      });
    }
    for (const disaster of this.#scenario.disasters) this.#world.after(disaster.atMs, () => this.#strike(disaster));
  }

  /** True if no client is served, no money is leased, and no gateway has anything left. */
  get isIdle(): boolean {
    const isServing =
      this.clients.some(({ ending }) => !ending) || this.#gateways.some(({ machine }) => machine.state === 'frozen');
    return !isServing && this.#leased() === 0 && this.#lines.isOver && this.#leftovers().length === 0;
  }

  check(): void {
    this.#money.check();
    this.#replies.check();
    this.#lines.check();
  }

  async end(): Promise<void> {
    for (const { machine, clients } of this.#all) {
      if (machine.state === 'dead') continue;
      for (const { plan, ending, refusal, receivedText } of clients) {
        if (!ending) this.#note(`${plan.id} never ended`);
        if (refusal === 'internal-error' || receivedText.includes('"code":"internal_error"'))
          this.#note(`${plan.id} failed with an internal error`);
      }
    }
    for (const left of this.#leftovers()) this.#note(left);
    for (const { batches } of this.#all) batches?.stopDeletions();
    if (this.#scenario.batches) for (const rule of await this.#lines.atEnd()) this.#note(rule);
    const direct = { db: this.#store.direct, transaction: transactions(this.#store.direct) } as unknown as Store;
    const { checks } = await verifyLedger(direct);
    for (const { title, violations } of checks)
      for (const violation of violations) this.#note(`ledger check failed: ${title}: ${violation}`);
    if (this.#leased() !== 0) this.#note(`${this.#leased()} is still leased at the end`);
    for (const rule of checkCaps(this.#store, this.#scenario.keys ?? {})) this.#note(rule);
    for (const rule of checkLimits(this.#store, this.#scenario.limits ?? {})) this.#note(rule);
    for (const rule of checkCharges(this.#store, this.providers.calls, this.#all, this.#scenario.perToken))
      this.#note(rule);
    for (const rule of checkReplies(this.providers.calls, this.#all)) this.#note(rule);
    await this.#cleanUp(this.#scenario.batches?.keepMs);
  }

  /** After the retention, a gateway deletes all that is left of the batches. */
  async #cleanUp(keepMs: number | undefined): Promise<void> {
    if (keepMs === undefined) return;
    for (const machine of this.#machines) machine.die();
    this.#world.offMs += keepMs + dayMs;
    this.#start(0, this.#all.length);
    await this.#world.play(this.#world.nowMs + cleanUpMs);
    this.#gateways[0]?.batches?.stopDeletions();
    for (const rule of leftAfterCleanUp(this.#store)) this.#note(rule);
  }

  #leased(): number {
    const [row] = this.#store.rows(`select (select coalesce(sum(leased), 0) from balances)
      + (select coalesce(sum(amount), 0) from budget_leases where process_id in (select id from processes)) as sum`);
    return Number(row?.['sum']);
  }

  #leftovers(): readonly string[] {
    return this.#gateways.flatMap((gateway) => {
      if (gateway.machine.state !== 'running') return [];
      const left = Object.entries(gateway.leftovers()).filter(([, count]) => count !== 0);
      return left.length === 0 ? [] : [`${gateway.machine.name} still has ${JSON.stringify(Object.fromEntries(left))}`];
    });
  }

  #start(index: number, generation: number): void {
    const machine = new Machine(`g${index}.${generation}`, this.#world);
    this.#machines.push(machine);
    const gateway = new SimulatedGateway(machine, this.#parts);
    this.#gateways[index] = gateway;
    this.#all.push(gateway);
    // If a gateway fails to start, it ends, and its supervisor starts it again.
    gateway.start().catch(() => {
      machine.die();
      this.#world.after(restartMs, () => this.#start(index, this.#all.length));
    });
  }

  #strike(disaster: Disaster): void {
    if (disaster.kind === 'store') {
      this.#store.mood = disaster.mood;
      return;
    }
    if (disaster.kind === 'arbiter') {
      this.#network.isArbiterDown = disaster.isDown;
      return;
    }
    if (disaster.kind === 'off') return void (this.#world.offMs += disaster.forMs);
    if (disaster.kind === 'revoke') return this.#bus.broadcast('cut', keyOf(disaster.accountId));
    const gateway = this.#gateways[disaster.gateway];
    if (!gateway) return;
    if (disaster.kind === 'clock') return void (gateway.machine.aheadMs += disaster.byMs);
    if (disaster.kind === 'clean') return gateway.batches?.cleanUp();
    if (disaster.kind === 'freeze') return gateway.machine.freeze(disaster.forMs);
    if (disaster.kind === 'kill') {
      gateway.machine.die();
      return this.providers.died(gateway.machine.name);
    }
    if (gateway.machine.state === 'dead') this.#start(disaster.gateway, this.#all.length);
  }
}

async function fund(store: SharedStore, { accounts }: Scenario): Promise<void> {
  const clock = { now: () => epochMs, elapsed: () => 0, after: () => ({ unref() {} }), cancel: () => {} };
  const direct = { db: store.direct, transaction: transactions(store.direct) } as unknown as Store;
  for (const { id, credit, isPostpaid, organisationId = '', memberId = '' } of accounts) {
    if (organisationId !== '') store.rows(insertOrganisation, organisationId, organisationId);
    store.rows(insertAccount, id, id, organisationId);
    store.rows(insertKey, keyOf(id), id, keyOf(id), keyOf(id), memberId);
    const now = epochMs;
    if (isPostpaid) await direct.transaction((tx) => setBilling(tx, id, { billing: 'postpaid', now }));
    if (credit === 0n) continue;
    const by = 'simulator';
    await credits(direct, clock).topUp({ accountId: id, amount: credit, reference: `credit ${id}`, by, reason: by });
  }
}

const insertAccount = `insert into accounts (id, name, package, status, source, created_at, organisation_id)
  values (?, ?, 'standard', 'active', 'store', 0, nullif(?, ''))`;
const insertOrganisation = `insert into organisations (id, name, limits, source, created_at)
  values (?, ?, '[]', 'store', 0) on conflict do nothing`;
const insertKey = `insert into api_keys (id, account_id, name, digest, digest_secret, display, first_id, member_id,
  honour_stream_false, report_cost, store_bodies, temporary, created_at)
  values (?, ?, 'key', ?, '', '', ?, nullif(?, ''), 0, 0, 0, 0, 0)`;
