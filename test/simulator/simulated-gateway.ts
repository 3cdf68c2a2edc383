import { createSecretKey } from 'node:crypto';
import { DeadlineTimer } from '../../src/core/time/deadline-timer.ts';
import type { Arbiter } from '../../src/platform/cluster/arbiter.ts';
import { LeaseKeeper } from '../../src/platform/cluster/lease-keeper.ts';
import type { Hold } from '../../src/money/billing/wallet/hold.ts';
import { settleCharges } from '../../src/money/billing/settle.ts';
import { type Wallet, wallet } from '../../src/money/billing/wallet.ts';
import { buildCatalog } from '../../src/money/catalog/catalog.ts';
import { secretVault } from '../../src/platform/secrets/secret-vault.ts';
import { ReplyClaims } from '../../src/platform/cluster/reply-claims.ts';
import { type RunningRequests, runningRequests } from '../../src/serving/inference/running-requests.ts';
import { KeySlots } from '../../src/serving/routing/slots/key-slots.ts';
import { Upstreams } from '../../src/serving/routing/upstreams.ts';
import { promptTokensIn } from '../../src/serving/routing/queue/request-cost.ts';
import { FastPath } from '../../src/serving/fast-path/fast-path.ts';
import { chatFormat } from '../../src/serving/surfaces/chat-completions.ts';
import { IdempotencyClaims } from '../../src/serving/surfaces/replies/idempotency-claims.ts';
import { converse, type SurfaceParts } from '../../src/serving/surfaces/conversation.ts';
import type { RequestRecord } from '../../src/money/requests/request-record.ts';
import { Replays } from '../../src/serving/surfaces/replies/replays.ts';
import { BatchHost } from './batch-host.ts';
import type { BatchWatch } from './batch-watch.ts';
import type { ChangeBus } from './change-bus.ts';
import type { Disks } from './disks.ts';
import { Client } from './client.ts';
import type { Plan } from './plan.ts';
import { inlineSchemas } from './inline-schemas.ts';
import type { KeyBook } from './key-book.ts';
import type { Machine } from './machine.ts';
import type { MoneyWatch } from './money-watch.ts';
import { type Providers, traceHeader } from './provider.ts';
import type { ReplyWatch } from './reply-watch.ts';
import type { ReplyTiming, Scenario } from './scenario.ts';
import type { SharedStore } from './shared-store.ts';
import { sightingOf } from './sightings.ts';
import type { World } from './world.ts';

export interface WorldParts {
  readonly world: World;
  readonly scenario: Scenario;
  readonly store: SharedStore;
  readonly bus: ChangeBus;
  readonly providers: Providers;
  readonly money: MoneyWatch;
  readonly lines: BatchWatch;
  readonly replies: ReplyWatch;
  readonly keys: KeyBook;
  /** Finds a process by name, dead or not. */
  readonly machineNamed: (name: string) => Machine | undefined;
  /** The disks of the machines, with the journals of their processes. */
  readonly disks: Disks;
  /** Divides the slots of the upstreams, if the gateways share them. */
  readonly arbiter: ((machine: Machine) => Arbiter) | undefined;
  readonly alarm: (error: unknown) => void;
}

/** A whole gateway without its sockets: the surface, inference, routing and the wallet, in virtual time. */
export class SimulatedGateway {
  readonly machine: Machine;
  readonly wallet: Wallet;
  readonly upstreams: Upstreams;
  readonly clients: Client[] = [];
  readonly records: RequestRecord[] = [];
  /** Runs batches, if there are any in this world. */
  readonly batches: BatchHost | undefined;
  readonly #parts: WorldParts;
  readonly #surface: SurfaceParts;
  readonly #running: RunningRequests;
  readonly #fastPath: FastPath;
  readonly #keySlots: KeySlots;
  readonly #leases: LeaseKeeper | undefined;
  #hasStarted = false;

  constructor(machine: Machine, parts: WorldParts) {
    const { world, scenario, providers } = parts;
    const { clock } = machine;
    this.machine = machine;
    this.#parts = parts;
    this.#running = runningRequests(clock);
    this.wallet = this.#openWallet();
    const arbiter = parts.arbiter?.(machine);
    const host = { machine: machine.name, pid: 1 };
    const { alarm } = parts;
    this.#leases = arbiter && new LeaseKeeper({ clock, arbiter, process: machine.name, host, alarm });
    this.upstreams = new Upstreams({
      clock,
      open: ({ name }) => providers.upstream(name, scenario, machine),
      healthChanged: () => {},
      bounds: () => ({ requests: 10_000, bytes: 1e12 }),
      leases: this.#leases,
      alarm,
    });
    this.upstreams.prepare(scenario.upstreams).use();
    const catalog = buildCatalog(scenario.catalog);
    const holder = parts.keys.cache(machine);
    this.#keySlots = new KeySlots({
      clock,
      queueLimit: this.upstreams.queueLimit,
      leases: this.#leases,
      termsOf: parts.keys.slotTerms(machine),
      alarm,
    });
    parts.bus.feed(machine).subscribe((changes) => {
      for (const { topic, subject } of changes) {
        if (topic === 'key') this.#keySlots.changed(subject);
        if (topic === 'cut') this.#running.cut(subject);
      }
    });
    this.#surface = {
      clock,
      keys: { holder: (accountId = '') => holder(accountId), remembered: () => undefined },
      keySlots: this.#keySlots,
      requests: { write: (record) => void this.records.push(record) },
      traces: { begin: ({ id }) => ({ call: () => ({ headers: { [traceHeader]: id } }) }) },
      replays: new Replays(clock),
      claims: scenario.sharesReplies ? this.#claimedReplies() : undefined,
      running: this.#running,
      deadlines: new DeadlineTimer(clock, parts.alarm),
      inference: {
        current: () => ({ catalog, upstream: this.upstreams.named }),
        router: {
          clock,
          random: world.random,
          conversationName: (conversation) => conversation,
          waitMaxMs: () => scenario.waitMaxMs,
          budget: this.upstreams.budget,
          queueLimit: this.upstreams.queueLimit,
        },
        counter: {
          count: (texts) => Promise.resolve({ tokens: texts.map(countTokens), source: 'counted' }),
          stop: () => Promise.resolve(),
        },
        schemas: inlineSchemas(world, machine),
        things: { find: () => Promise.resolve(new Map()), remember: () => Promise.resolve() },
        expected: {
          of: (_account, _model, size) => ({ promptTokens: promptTokensIn(size), outputTokens: expectedTokens }),
          learn: () => {},
        },
        onError: parts.alarm,
        wallet: { hold: (...request) => this.#watchedHold(...request) },
      },
      settings: () => ({ ...settings, ...scenario.timing }),
    };
    const { batches } = scenario;
    this.batches = batches && new BatchHost({ ...parts, ...batches, ...this, surface: this.#surface, holder });
    this.#fastPath = new FastPath({
      ...this.#surface,
      keys: { ...this.#surface.keys, known: (accountId = '') => knownNow(holder(accountId)) },
      wallet: { holdNow: (name, amount) => this.#watchedHoldNow(name, amount) },
    });
  }

  /** Like a real start, first books the charges that an earlier process left in the journal of this machine. */
  async start(): Promise<void> {
    const { store, disks } = this.#parts;
    const unsettled = disks.unsettled(this.machine);
    if (unsettled.length > 0) await store.open(this.machine).commit(settleCharges, unsettled);
    await Promise.all([this.wallet.start(), this.#leases?.start()]);
    this.batches?.start();
    this.#hasStarted = true;
  }

  get isServing(): boolean {
    return this.#hasStarted && this.machine.state !== 'dead';
  }

  serve(plan: Plan): Client {
    const client = new Client(plan, this.#parts.world, this.machine, this.#parts.replies.ofClients);
    this.clients.push(client);
    this.machine.deliver(() => {
      client.arrivedMs = this.#parts.world.nowMs;
      if ((plan.triesFastPath ?? isEven(plan.id)) && this.#fastPath.tryServe(client)) return;
      converse(this.#surface, chatFormat, client).catch((error: unknown) => {
        this.#parts.alarm(error);
        // As the HTTP server does for a request that is refused before it is served, for example for an expired key.
        client.fail(error);
      });
    });
    return client;
  }

  /** Counts everything that a request could leave behind. */
  leftovers(): Readonly<Record<string, number>> {
    const { upstreams, wallet: accountLeases } = this;
    const { taken, waiting } = this.#keySlots;
    return {
      running: upstreams.running,
      ...upstreams.taken(),
      holds: accountLeases.holds,
      requests: this.#running.count,
      keySlots: taken + waiting,
    };
  }

  async #watchedHold(...request: Parameters<Wallet['hold']>): Promise<Hold> {
    const { money } = this.#parts;
    const watched = money.watch(request[0], request[1], this.machine);
    try {
      const hold = await this.wallet.hold(...request);
      return watched.granted(hold);
    } catch (error) {
      watched.refused(error);
      throw error;
    }
  }

  #watchedHoldNow(...request: Parameters<Wallet['holdNow']>): Hold | undefined {
    const hold = this.wallet.holdNow(...request);
    return hold && this.#parts.money.watch(request[0], request[1], this.machine).granted(hold);
  }

  #claimedReplies(): IdempotencyClaims {
    const { store, world, machineNamed } = this.#parts;
    const { clock, name } = this.machine;
    return new IdempotencyClaims({
      clock,
      vault,
      claims: new ReplyClaims(store.open(this.machine), this.#parts.alarm),
      peers: {
        process: name,
        isKnown: true,
        sightingOf: (process) => Promise.resolve(sightingOf(machineNamed(process), world.nowMs)),
      },
    });
  }

  #openWallet(): Wallet {
    const { store, bus, disks, alarm, world } = this.#parts;
    let ids = 0;
    const opened = store.open(this.machine);
    return wallet({
      // If the store is on the same disk, a synced journal may acknowledge charges before the store has them.
      store: disks.areOne ? { ...opened, beforeReads: () => {} } : opened,
      replay: async () => void (await opened.commit(settleCharges, disks.unsettled(this.machine))),
      clock: this.machine.clock,
      feed: bus.feed(this.machine),
      newId: () => `${this.machine.name}-${world.steps}-${ids++}`,
      journal: () => disks.journal(this.machine),
      onError: alarm,
    });
  }
}

/** The fast path uses only values that need no store read. */
function knownNow<Known>(value: Known | Promise<Known>): Known | undefined {
  return value instanceof Promise ? undefined : value;
}

function isEven(id: string): boolean {
  return Number(/\d+/.exec(id)?.[0] ?? 0) % 2 === 0;
}

const expectedTokens = 20;

const vault = secretVault(createSecretKey(Buffer.alloc(32, 7)));

/** A prompt contains its number of tokens. In an answer, four characters are one token. */
function countTokens(text: string): number {
  const tokens = /\br\d+ (\d+)\b/.exec(text)?.[1];
  return tokens === undefined ? Math.ceil(text.length / 4) : Number(tokens);
}

export const usualTiming: ReplyTiming = { holdHeadersMs: 10_000, keepAliveEveryMs: 10_000 };

const settings = {
  ...usualTiming,
  supportEmail: undefined,
  currency: 'USD',
  messagesPrefix: '/anthropic',
  isCodingAgent: () => false,
};
