import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { openPepper } from '../../src/platform/secrets/pepper.ts';
import { openStore, type Store } from '../../src/platform/store/store.ts';
import { makeKey } from '../keys.ts';
import { type Journal, readJournal } from './journal.ts';
import { type Load, load } from './load.ts';
import { type GatewayProcess, type GatewayStart, startGatewayProcess, startProvider } from './processes.ts';

const longTimeouts = { statementMs: 600_000, connectMs: 600_000 };

/** Gateways on one store, a provider that keeps a journal, and clients that start with `load.resume()`. */
export interface CrashStage {
  readonly store: Store;
  readonly key: string;
  readonly load: Load;
  readonly alive: () => readonly GatewayProcess[];
  readonly kills: () => number;
  journal(): Journal;
  kill(victim: GatewayProcess): Promise<void>;
  start(more?: Pick<GatewayStart, 'failpoint'>): Promise<GatewayProcess>;
  complaints(): readonly string[];
  tearDown(): Promise<void>;
}

export interface StageOptions {
  /** Determines everything except the scheduling of processes. */
  readonly seed: number;
  /** The URL of a PostgreSQL database. Default: the embedded store. */
  readonly database?: string;
  readonly processes?: number;
  readonly clients?: number;
}

const accountNames = ['first', 'second', 'third'];
const secret = 'the gateways of a crash loop share one secret';
/** The price of the only model, per million tokens. */
export const price = { input: '1', output: '2' };

export async function setUp({ seed, database, processes = 2, clients = 24 }: StageOptions): Promise<CrashStage> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-crash-'));
  const journal = join(directory, 'journal.jsonl');
  const config = join(directory, 'gateway.yaml');
  const provider = await startProvider(seed, journal);
  writeFileSync(config, stringify(configFor(provider.port, database)));
  const all: GatewayProcess[] = [];
  /** Gateways that the loop kills, or that have a failpoint. */
  const doomed = new Set<GatewayProcess>();

  async function start(more: Pick<GatewayStart, 'failpoint'> = {}): Promise<GatewayProcess> {
    const gateway = await startGatewayProcess({ name: `gateway ${all.length + 1}`, config, ...more });
    all.push(gateway);
    if (more.failpoint) doomed.add(gateway);
    return gateway;
  }
  const alive = () => all.filter(({ isAlive }) => isAlive);
  async function endAll(): Promise<void> {
    provider.stop();
    await Promise.all(alive().map((gateway) => gateway.kill()));
    rmSync(directory, { recursive: true });
  }
  try {
    for (let count = 0; count < processes; count += 1) await start();
    const data = join(directory, 'data');
    // The checks use long timeouts, because the machine may be busy.
    const store = await openStore({ data, database, ...longTimeouts });
    const keys = await keysOf(store, data);
    return {
      store,
      key: keys[0]!,
      load: load({ seed, clients, keys, gateways: alive }),
      alive,
      kills: () => doomed.size,
      journal: () => readJournal(journal),
      async kill(victim) {
        doomed.add(victim);
        await victim.kill();
      },
      start,
      complaints: () => all.flatMap((gateway) => complaintsOf(gateway, doomed.has(gateway))),
      async tearDown() {
        await store.close();
        await endAll();
      },
    };
  } catch (error) {
    await endAll();
    throw error;
  }
}

function complaintsOf({ name, isAlive, complaints }: GatewayProcess, isDoomed: boolean): readonly string[] {
  const lines = complaints.map((line) => `${name} logged: ${line}`);
  return isAlive || isDoomed ? lines : [...lines, `${name} exited unexpectedly`];
}

function configFor(port: number, database: string | undefined): object {
  return {
    listen: { host: '127.0.0.1', port: 0 },
    data: './data',
    secret,
    ...(database !== undefined && { database }),
    log: { level: 'error' },
    // Long timeouts: only a kill ends an answer early, even on a busy machine.
    waiting: { hold_headers: '5m' },
    upstreams: [
      {
        name: 'journal',
        kind: 'openai',
        base_url: `http://127.0.0.1:${port}/v1`,
        api_key: 'sk-crash',
        timeouts: { connect: '5m', first_event: '10m', idle: '10m' },
      },
    ],
    models: [{ id: 'crash', routes: [{ upstream: 'journal' }], price }],
    accounts: accountNames.map((name) => ({ name, package: 'standard', credit: '1000.00' })),
  };
}

/** Two keys for each account. */
async function keysOf(store: Store, data: string): Promise<readonly string[]> {
  const pepper = await openPepper(store, { data, secret });
  const creating = [...accountNames, ...accountNames].map((account) =>
    makeKey({ store, pepper }, { account, name: 'load' }),
  );
  return (await Promise.all(creating)).map(({ secret }) => secret);
}
