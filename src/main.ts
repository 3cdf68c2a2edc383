import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { accounts } from './accounts/accounts.ts';
import { keyRing } from './accounts/key-ring.ts';
import { openPepper } from './accounts/pepper.ts';
import { balanceOf } from './billing/balance.ts';
import { grantFirstCredits } from './billing/first-credit.ts';
import { journal, replayJournals } from './billing/journal.ts';
import { settle } from './billing/settle.ts';
import { wallet } from './billing/wallet.ts';
import { ledgerOf } from './admin/ledger.ts';
import { adminRoutes } from './admin/routes.ts';
import { usageFromRequests } from './admin/usage-summary.ts';
import { applyFile } from './catalog/apply-file.ts';
import { secretVault } from './catalog/secret-vault.ts';
import { resources } from './catalog/resources.ts';
import { type Snapshot, snapshot } from './catalog/snapshot.ts';
import { changeFeed } from './cluster/change-feed.ts';
import type { Config } from './config/config.ts';
import type { Environment } from './config/environment.ts';
import type { LoadedConfig } from './config/load.ts';
import { type Clock, systemClock } from './core/clock.ts';
import { type Failpoint, noFailpoint } from './core/failpoint.ts';
import { requestIds } from './core/request-id.ts';
import type { HttpLimits } from './http/limits.ts';
import { httpServer } from './http/server.ts';
import { runningRequests } from './inference/running-requests.ts';
import { tokenCounter } from './inference/token-counter.ts';
import { requestLog } from './requests/request-log.ts';
import { requestRetention } from './requests/retention.ts';
import { fleet } from './routing/fleet.ts';
import { openStore, type Store } from './store/store.ts';
import { explain } from './surfaces/envelope.ts';
import { explainMessages, messagesIdHeader } from './surfaces/messages/envelope.ts';
import { routes } from './surfaces/routes.ts';
import { accessLog } from './telemetry/access-log.ts';
import { openLog } from './telemetry/log.ts';
import { openUpstream } from './upstreams/open-upstream.ts';
import { knownKinds } from './upstreams/presets.ts';

/** A running gateway. */
export interface Gateway {
  readonly address: { readonly host: string; readonly port: number };
  readonly store: Store;
  readonly pepper: KeyObject;
  /** Takes another configuration into use, all of it or nothing. What only a restart can change stays, and is named. */
  apply(loaded: LoadedConfig): Promise<{ readonly needsRestart: readonly string[] }>;
  /** The catalog as it stands. */
  current(): Snapshot;
  inFlight(): { readonly exchanges: number; readonly answers: number };
  /** Stops taking requests, lets running ones finish within the grace, and closes everything. */
  stop(options: { readonly graceMs: number }): Promise<void>;
}

export interface GatewayOptions {
  readonly env: Environment;
  readonly clock?: Clock;
  /** Hears what the start is waiting for. */
  readonly onWaiting?: (sentence: string) => void;
  /** Where a crash test ends the process. */
  readonly failpoint?: Failpoint;
}

/** Puts the parts together: configuration, store, keys, upstreams, surfaces, server. */
export async function startGateway(loaded: LoadedConfig, options: GatewayOptions): Promise<Gateway> {
  const { env, clock = systemClock, onWaiting, failpoint = noFailpoint } = options;
  let { config } = loaded;
  const newId = requestIds(clock);
  const { log, flush } = openLog(config.log.level);
  const store = await openStore({ data: config.data, database: config.database, onWaiting });
  const pepper = await openPepper(store, { data: config.data, secret: config.secret });
  const vault = secretVault(pepper);
  const feed = changeFeed(store, { clock });
  const keys = keyRing({ store, pepper, clock, feed });
  const upstreams = fleet((spec) => openUpstream(spec, { clock, newId }));
  const counter = tokenCounter();
  const journals = join(config.data, 'journal');
  const money = wallet({
    store,
    clock,
    feed,
    newId,
    journal: (processId) => journal(journals, processId, failpoint),
    onTrouble: (error) => log.error({ error: String(error) }, 'the ledger could not be reached'),
    failpoint,
  });
  const running = runningRequests();
  const onDropped = (count: number) => log.error({ count }, 'request records were dropped');
  const requests = requestLog({ store, onDropped, failpoint });
  const retention = requestRetention({
    store,
    clock,
    keepMs: () => config.requests.retention,
    keepUsageMs: () => config.requests.usageRetention,
  });
  let live: Snapshot;

  async function refresh(): Promise<void> {
    live = await snapshot({ store, config, env, kinds: knownKinds, vault });
    for (const problem of live.problems) log.warn({ problem }, 'a stored entry was left out');
    upstreams.apply(live.upstreams);
  }

  async function apply(next: LoadedConfig): Promise<{ needsRestart: readonly string[] }> {
    await applyFile(store, next.resources, clock);
    await accounts(store, clock).ensure(next.config.accounts);
    await grantFirstCredits(store, clock);
    const needsRestart = restartOnly.filter(
      (name) => JSON.stringify(config[name]) !== JSON.stringify(next.config[name]),
    );
    config = next.config;
    await refresh();
    return { needsRestart };
  }

  await apply(loaded);
  await replayJournals(journals, (settlements) => store.transaction((tx) => settle(tx, settlements)));
  await money.start();
  const publicRoutes = routes({
    clock,
    keys,
    requests,
    running,
    inference: {
      current: () => ({ catalog: live.catalog, lane: upstreams.lane }),
      router: { clock, random: Math.random, waitMaxMs: () => config.waiting.maxWait },
      counter,
      wallet: money,
    },
    balance: (accountId) => balanceOf(store, accountId),
    settings: () => surfaceSettings(config),
    version: () => live.version,
  });
  const operatorRoutes = adminRoutes({
    store,
    clock,
    pepper,
    ledger: (inside) => ledgerOf(inside, clock),
    resources: (inside) => resources(inside, { clock, kinds: knownKinds, vault: () => Promise.resolve(vault) }),
    usage: usageFromRequests,
    current: () => live,
    currency: () => config.currency,
  });
  const { messagesPrefix } = config;
  const isMessages = (path: string) => path.startsWith(`${messagesPrefix}/`);
  const server = httpServer({
    routes: [...publicRoutes, ...operatorRoutes],
    limits: httpLimits(config),
    stamp: () => live.version,
    newId,
    explain: (error, { id, path }) => (isMessages(path) ? explainMessages : explain)(error, id, config.supportEmail),
    idHeader: (path) => (isMessages(path) ? messagesIdHeader : undefined),
    observe: accessLog(log),
    elapsed: clock.elapsed,
  });
  const unsubscribe = feed.subscribe((changes) => {
    for (const { topic, subject } of changes) if (topic === 'cut') running.cut(subject);
    if (!changes.some(({ topic }) => topic === 'catalog')) return;
    refresh().catch((error: unknown) => log.error({ error: String(error) }, 'the catalog could not be read again'));
  });
  feed.start();
  keys.start();
  retention.start();
  const address = await server.listen(config.listen.host, config.listen.port);

  return {
    address,
    store,
    pepper,
    apply,
    current: () => live,
    inFlight: () => ({ exchanges: server.inFlight, answers: upstreams.running }),
    async stop({ graceMs }) {
      const grace = setTimeout(() => server.destroy(), graceMs);
      await server.drain();
      clearTimeout(grace);
      await running.settled(settlePatienceMs);
      unsubscribe();
      feed.stop();
      retention.stop();
      upstreams.close();
      await Promise.all([keys.stop(), counter.stop(), requests.stop(), money.stop()]);
      await store.close();
      flush();
    },
  };
}

/** How long charges and records of the last requests may take once nobody is connected any more. */
const settlePatienceMs = 10_000;

/** Settings that are read once. */
const restartOnly = [
  'listen',
  'data',
  'database',
  'secret',
  'limits',
  'log',
  'messagesPrefix',
] as const satisfies readonly (keyof Config)[];

function surfaceSettings(config: Config) {
  const { holdHeaders, keepAliveEvery } = config.waiting;
  return {
    holdHeadersMs: holdHeaders,
    keepAliveEveryMs: keepAliveEvery,
    supportEmail: config.supportEmail,
    currency: config.currency,
    messagesPrefix: config.messagesPrefix,
    codingAgents: config.codingAgents.map((name) => name.toLowerCase()),
  };
}

function httpLimits({ limits }: Config): HttpLimits {
  const { headersTimeout, requestTimeout, keepAliveTimeout, readerStallTimeout, ...sizes } = limits;
  return {
    ...sizes,
    headersTimeoutMs: headersTimeout,
    requestTimeoutMs: requestTimeout,
    keepAliveTimeoutMs: keepAliveTimeout,
    readerStallMs: readerStallTimeout,
  };
}
