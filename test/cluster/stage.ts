import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stringify } from 'yaml';
import { openPepper } from '../../src/accounts/pepper.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { chat } from '../chat-client.ts';
import { type GatewayProcess, startGatewayProcess } from '../crash/processes.ts';
import { makeKey } from '../keys.ts';
import { type CountingProvider, countingProvider } from './counting-provider.ts';

/** Gateways in processes of their own, on one PostgreSQL, before a provider that counts. */
export interface ClusterStage {
  readonly provider: CountingProvider;
  readonly gateways: readonly GatewayProcess[];
  readonly store: Store;
  /** Starts another one, with another way to the database if need be. */
  start(database?: string): Promise<GatewayProcess>;
  /** An account keeps so many requests under way at a gateway, until the stage is torn down or the gateway is gone. */
  load(account: string, gateway: GatewayProcess, requests: number): void;
  /** What clients were told but an answer, by gateways that still live. */
  readonly failures: readonly string[];
  tearDown(): Promise<void>;
}

export interface ClusterStageOptions {
  readonly database: string;
  readonly gateways: number;
  readonly limit: number;
  readonly serviceMs: number;
  /** Accounts by name, with the weight of each. */
  readonly accounts: Readonly<Record<string, number>>;
}

const secret = 'the gateways of a cluster test share one secret';

export async function setUpCluster(options: ClusterStageOptions): Promise<ClusterStage> {
  const { database, limit, serviceMs, accounts } = options;
  const directory = mkdtempSync(join(tmpdir(), 'gateway-cluster-'));
  const provider = await countingProvider(serviceMs);
  const gateways: GatewayProcess[] = [];
  const failures: string[] = [];
  const state = { isOver: false };

  async function start(at = database): Promise<GatewayProcess> {
    const config = join(directory, `gateway-${gateways.length}.yaml`);
    writeFileSync(config, stringify(configFor({ port: provider.port, database: at, limit, accounts })));
    const gateway = await startGatewayProcess({ name: `gateway ${gateways.length}`, config });
    gateways.push(gateway);
    return gateway;
  }
  for (let count = 0; count < options.gateways; count += 1) await start();
  const store = await openStore({ database, statementMs: 600_000, connectMs: 600_000 });
  const pepper = await openPepper(store, { data: directory, secret });
  const keys = new Map<string, string>();
  for (const account of Object.keys(accounts)) {
    keys.set(account, (await makeKey({ store, pepper }, { account, name: 'load' })).secret);
  }

  async function keepAsking(account: string, gateway: GatewayProcess): Promise<void> {
    while (!state.isOver && gateway.isAlive) {
      const body = { messages: [{ role: 'user', content: account }] };
      const { isDone, text } = await chat({ port: gateway.port, key: keys.get(account)!, model: 'shared', body }).over;
      if (isDone) continue;
      if (gateway.isAlive && !state.isOver) failures.push(text);
      await delay(50);
    }
  }
  return {
    provider,
    gateways,
    store,
    start,
    load(account, gateway, requests) {
      for (let count = 0; count < requests; count += 1) void keepAsking(account, gateway);
    },
    failures,
    async tearDown() {
      state.isOver = true;
      await store.close();
      await Promise.all(gateways.filter(({ isAlive }) => isAlive).map((gateway) => gateway.kill()));
      provider.close();
      rmSync(directory, { recursive: true });
    },
  };
}

interface Settings extends Pick<ClusterStageOptions, 'database' | 'limit' | 'accounts'> {
  readonly port: number;
}

function configFor({ port, database, limit, accounts }: Settings): object {
  const weights = [...new Set(Object.values(accounts))];
  const base_url = `http://127.0.0.1:${port}/v1`;
  return {
    listen: { host: '127.0.0.1', port: 0 },
    data: './data',
    secret,
    database,
    log: { level: 'error' },
    upstreams: [{ name: 'counting', kind: 'openai', base_url, api_key: 'sk-cluster', max_concurrency: limit }],
    models: [{ id: 'shared', routes: [{ upstream: 'counting' }], price: { input: '0', output: '0' } }],
    packages: weights.map((weight) => ({ name: `weight-${weight}`, models: ['*'], weight })),
    accounts: Object.entries(accounts).map(([name, weight]) => ({ name, package: `weight-${weight}`, credit: '1' })),
  };
}
