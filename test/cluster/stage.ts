import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stringify } from 'yaml';
import type { NewKey } from '../../src/money/accounts/keys.ts';
import { openPepper } from '../../src/platform/secrets/pepper.ts';
import { openStore, type Store } from '../../src/platform/store/store.ts';
import { type ChatOutcome, chat } from '../chat-client.ts';
import { type GatewayProcess, startGatewayProcess } from '../crash/processes.ts';
import { makeKey } from '../keys.ts';
import { type CountingProvider, countingProvider } from './counting-provider.ts';

/** Gateways in separate processes on one store, with a counting provider. */
export interface ClusterStage {
  readonly provider: CountingProvider;
  readonly gateways: readonly GatewayProcess[];
  readonly store: Store;
  start(as?: GatewayKind): Promise<GatewayProcess>;
  /** Kills a gateway like a power cut. Errors of its clients from now on are not counted as failures. */
  kill(gateway: GatewayProcess): Promise<void>;
  /** Stops a gateway gracefully. It completes its running answers. */
  end(gateway: GatewayProcess): Promise<void>;
  /** Adds a key to an account. Requests use it by the name of the key. Returns its id. */
  addKey(account: string, key: { readonly name: string } & Partial<NewKey>): Promise<string>;
  /** The secret of an account's key, or of an added one. */
  keyOf(name: string): string;
  /** Sends one request of an account, or of an added key. */
  send(account: string, target: Target): Promise<ChatOutcome>;
  /** Keeps `requests` requests of an account running, until `stop()`, the tear-down or the kill of the gateway. */
  load(account: string, target: Target, requests: number): Load;
  /**
   * Resolves when every gateway has answered a request that was sent after this call. With this pace, the provider
   * waits for a gateway that gets no CPU time, so that the others get no slots meanwhile.
   */
  awake(): Promise<unknown>;
  /** Stops all loads, also those of a failed test. */
  stopLoads(): Promise<void>;
  /** Replies of living gateways that were no complete answers. */
  readonly failures: readonly string[];
  tearDown(): Promise<void>;
}

/** The target of requests: a gateway or a balancer. */
export type Target = Pick<GatewayProcess, 'name' | 'port'>;

/** Settings in which a gateway differs from the others. */
export interface GatewayKind {
  /** Another address of the database. */
  readonly database?: string;
  /** Another version of the program. */
  readonly program?: string;
}

/** Clients that send requests in a loop. */
export interface Load {
  /** Resolves when the last client has its answer. */
  stop(): Promise<void>;
}

export interface ClusterStageOptions {
  /** The URL of a PostgreSQL database. Default: the embedded store. */
  readonly database?: string | undefined;
  readonly gateways: number;
  readonly limit: number;
  readonly serviceMs: number;
  /** Accounts by name, with the weight of each. */
  readonly accounts: Readonly<Record<string, number>>;
  /** More settings of their configuration file. */
  readonly file?: Readonly<Record<string, unknown>>;
  /** The number of workers of each gateway. */
  readonly workers?: number;
  /** The file with the milliseconds by which their wall clocks are shifted. */
  readonly clockFile?: string;
}

const secret = 'the gateways of a cluster test share one secret';

export async function setUpCluster(options: ClusterStageOptions): Promise<ClusterStage> {
  const { database, limit, serviceMs, accounts, workers, file, clockFile } = options;
  const directory = mkdtempSync(join(tmpdir(), 'gateway-cluster-'));
  const provider = await countingProvider(serviceMs);
  const gateways: GatewayProcess[] = [];
  const failures: string[] = [];
  const state = { isOver: false };
  const doomed = new Set<Target>();

  async function start({ database: at = database, program }: GatewayKind = {}): Promise<GatewayProcess> {
    const config = join(directory, `gateway-${gateways.length}.yaml`);
    writeFileSync(config, stringify(configFor({ port: provider.port, database: at, limit, accounts, workers, file })));
    const gateway = await startGatewayProcess({ name: `gateway ${gateways.length}`, config, program, clockFile });
    gateways.push(gateway);
    return gateway;
  }
  for (let count = 0; count < options.gateways; count += 1) await start();
  const data = join(directory, 'data');
  const store = await openStore({ data, database, statementMs: 600_000, connectMs: 600_000 });
  const pepper = await openPepper(store, { data, secret });
  const keys = new Map<string, string>();
  for (const account of Object.keys(accounts)) {
    keys.set(account, (await makeKey({ store, pepper }, { account, name: 'load' })).secret);
  }

  async function addKey(account: string, key: { readonly name: string } & Partial<NewKey>): Promise<string> {
    const { id, secret: own } = await makeKey({ store, pepper }, { ...key, account });
    keys.set(key.name, own);
    return id;
  }

  function send(account: string, { port }: Target): Promise<ChatOutcome> {
    const body = { max_tokens: 100, messages: [{ role: 'user', content: account }] };
    return chat({ port, key: keys.get(account)!, model: 'shared', body }).over;
  }

  async function sendInLoop(account: string, target: Target, stopping: AbortSignal): Promise<void> {
    while (!state.isOver && !stopping.aborted && !doomed.has(target)) {
      const { isDone, status, text } = await send(account, target);
      if (isDone) continue;
      if (!doomed.has(target) && !state.isOver) failures.push(`${account} at ${target.name}: ${status} ${text}`);
      await delay(50);
    }
  }
  const pings = new Agent({ keepAlive: true });
  const allAnswer = () => Promise.all(gateways.filter(({ isAlive }) => isAlive).map(({ port }) => ping(port, pings)));
  let round: Promise<unknown> = Promise.resolve();
  let nextRound: Promise<unknown> | undefined;
  function awake(): Promise<unknown> {
    nextRound ??= round.then(() => {
      nextRound = undefined;
      round = allAnswer();
      return round;
    });
    return nextRound;
  }

  const loads: Load[] = [];
  return {
    provider,
    gateways,
    store,
    start,
    async kill(gateway) {
      doomed.add(gateway);
      await gateway.kill();
    },
    addKey,
    keyOf: (name) => keys.get(name)!,
    send,
    async end(gateway) {
      gateway.signal('SIGTERM');
      await gateway.gone;
    },
    load(account, target, requests) {
      const stopping = new AbortController();
      const clients = Array.from({ length: requests }, () => sendInLoop(account, target, stopping.signal));
      const load = {
        async stop() {
          stopping.abort();
          await Promise.all(clients);
        },
      };
      loads.push(load);
      return load;
    },
    async stopLoads() {
      await Promise.all(loads.splice(0).map((load) => load.stop()));
    },
    awake,
    failures,
    async tearDown() {
      state.isOver = true;
      pings.destroy();
      await store.close();
      await Promise.all(gateways.filter(({ isAlive }) => isAlive).map((gateway) => gateway.kill()));
      provider.close();
      rmSync(directory, { recursive: true });
    },
  };
}

/** Ignores errors: a killed gateway does not answer. */
function ping(port: number, agent: Agent): Promise<void> {
  return new Promise((resolve) => {
    get({ host: '127.0.0.1', port, path: '/healthz', agent }, (response) => response.resume().on('close', resolve)).on(
      'error',
      () => resolve(),
    );
  });
}

interface Settings extends Pick<ClusterStageOptions, 'database' | 'limit' | 'accounts' | 'workers' | 'file'> {
  readonly port: number;
}

function configFor({ port, database, limit, accounts, workers, file }: Settings): object {
  const weights = [...new Set(Object.values(accounts))];
  const base_url = `http://127.0.0.1:${port}/v1`;
  return {
    listen: { host: '127.0.0.1', port: 0 },
    data: './data',
    secret,
    ...(database !== undefined && { database }),
    ...(workers !== undefined && { workers }),
    log: { level: 'error' },
    upstreams: [{ name: 'counting', kind: 'openai', base_url, api_key: 'sk-cluster', max_concurrency: limit }],
    models: [{ id: 'shared', routes: [{ upstream: 'counting' }], price: { input: '1', output: '1' } }],
    packages: weights.map((weight) => ({ name: `weight-${weight}`, models: ['*'], weight })),
    accounts: Object.entries(accounts).map(([name, weight]) => ({ name, package: `weight-${weight}`, credit: '100' })),
    ...file,
  };
}
