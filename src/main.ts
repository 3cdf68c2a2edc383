import type { KeyObject } from 'node:crypto';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { accounts } from './accounts/accounts.ts';
import { keyRing } from './accounts/key-ring.ts';
import { openPepper } from './accounts/pepper.ts';
import { balanceOf } from './billing/balance.ts';
import { chargeMark, keepLedgerGaps, ledgerName } from './billing/charge-mark.ts';
import { grantFirstCredits } from './billing/first-credit.ts';
import { journal, replayJournals } from './billing/journal.ts';
import { rememberPrices } from './billing/price-book.ts';
import { settle } from './billing/settle.ts';
import { wallet } from './billing/wallet.ts';
import { ledgerOf } from './admin/ledger.ts';
import { adminRoutes } from './admin/routes.ts';
import { usageFromRequests } from './admin/usage-summary.ts';
import { applyFile } from './catalog/apply-file.ts';
import { secretVault } from './catalog/secret-vault.ts';
import { resources } from './catalog/resources.ts';
import { type Snapshot, snapshot } from './catalog/snapshot.ts';
import { dashboardRoutes } from './console/dashboard-routes.ts';
import { builtDashboard, dashboardFiles } from './console/files.ts';
import { identity } from './console/identity.ts';
import type { ConsoleParts, Pause } from './console/parts.ts';
import { authRoutes } from './console/routes.ts';
import { changeFeed } from './cluster/change-feed.ts';
import type { Config } from './config/config.ts';
import type { Environment } from './config/environment.ts';
import type { LoadedConfig } from './config/load.ts';
import { buildStamp } from './core/build-stamp.ts';
import { type Clock, systemClock } from './core/clock.ts';
import { type Failpoint, noFailpoint } from './core/failpoint.ts';
import { requestIds } from './core/request-id.ts';
import type { HttpLimits } from './http/limits.ts';
import { httpServer } from './http/server.ts';
import { expectedOutput } from './inference/expected-output.ts';
import { Pressure } from './http/pressure.ts';
import { runningRequests } from './inference/running-requests.ts';
import { tokenCounter } from './inference/token-counter.ts';
import { minuteRates } from './requests/minute-rates.ts';
import { requestLog } from './requests/request-log.ts';
import { requestRetention } from './requests/retention.ts';
import { fleet } from './routing/fleet.ts';
import { shutdown } from './shutdown.ts';
import { openStore, type Store } from './store/store.ts';
import { explain } from './surfaces/envelope.ts';
import { explainMessages, messagesIdHeader } from './surfaces/messages/envelope.ts';
import { replays } from './surfaces/replays.ts';
import { healthPaths, healthRoutes, type ReadinessCheck } from './surfaces/health.ts';
import { readinessOf } from './surfaces/readiness.ts';
import { routes } from './surfaces/routes.ts';
import { accessLog } from './telemetry/access-log.ts';
import { blockWatch } from './telemetry/block-watch.ts';
import { healthLog } from './telemetry/health-log.ts';
import { openLog } from './telemetry/log.ts';
import { type VitalSigns, vitalSigns } from './telemetry/vital-signs.ts';
import { openUpstream } from './upstreams/open-upstream.ts';
import { knownKinds } from './upstreams/presets.ts';
import { knownProviders } from './upstreams/known-providers.ts';
import { probeUpstream } from './upstreams/probe.ts';

/** A running gateway. */
export interface Gateway {
  readonly address: { readonly host: string; readonly port: number };
  /** Where only the health endpoints are, if the configuration asks for it. */
  readonly healthPort: number | undefined;
  readonly store: Store;
  readonly pepper: KeyObject;
  /** Takes another configuration into use, all of it or nothing. What only a restart can change stays, and is named. */
  apply(loaded: LoadedConfig): Promise<{ readonly needsRestart: readonly string[] }>;
  /** The catalog as it stands. */
  current(): Snapshot;
  inFlight(): { readonly exchanges: number; readonly answers: number };
  /** All that a request could leave behind; every figure is 0 when nobody is being served. */
  alive(): Readonly<Record<Remains, number>>;
  /** Tells operators of an error that nobody expected. */
  report(error: unknown): void;
  /**
   * Stops taking requests, lets running ones finish within the grace, ends the others with a word, and closes everything.
   * The grace is the configured one unless said otherwise. Called again it sets the grace anew.
   */
  stop(options?: { readonly graceMs: number }): Promise<void>;
}

/** What a request may leave behind: clients served, places and calls at upstreams, tries beyond the first, money. */
type Remains = 'exchanges' | 'answers' | 'requests' | 'holds' | 'connections' | 'waiting' | 'calls' | 'retries';

export interface GatewayOptions {
  readonly env: Environment;
  readonly clock?: Clock;
  /** Where the configuration came from, if it was a file. */
  readonly configFile?: string | undefined;
  /** Hears what the start is waiting for. */
  readonly onWaiting?: (sentence: string) => void;
  /** Where a crash test ends the process. */
  readonly failpoint?: Failpoint;
  /** What the process's own memory and event loop are measured by. */
  readonly signs?: VitalSigns;
  /** The folder the dashboard was built to. */
  readonly dashboard?: string;
  /** How those who guess passwords are made to wait. */
  readonly pause?: Pause;
}

/** Puts the parts together: configuration, store, keys, upstreams, surfaces, server. */
export async function startGateway(loaded: LoadedConfig, options: GatewayOptions): Promise<Gateway> {
  const { env, clock = systemClock, onWaiting, failpoint = noFailpoint, signs = vitalSigns() } = options;
  const { dashboard = builtDashboard, pause = pauseFor } = options;
  let { config } = loaded;
  const newId = requestIds(clock);
  const { log, close: closeLog } = openLog(config.log.level);
  const store = await openStore({ data: config.data, database: config.database, onWaiting });
  const pepper = await openPepper(store, { data: config.data, secret: config.secret });
  const vault = secretVault(pepper);
  const feed = changeFeed(store, { clock });
  const keys = keyRing({ store, pepper, clock, feed });
  const upstreams = fleet({
    clock,
    open: (spec) => openUpstream(spec, { clock, newId }),
    healthChanged: healthLog(log),
    bounds: () => ({ requests: config.waiting.maxRequests, bytes: config.waiting.maxBytes }),
  });
  const counter = tokenCounter();
  const journals = join(config.data, 'journal');
  const mark = chargeMark({
    folder: config.data,
    ledger: await ledgerName(store),
    clock,
    onTrouble: (error) => log.error({ error: String(error) }, 'the ledger’s mark could not be written'),
  });
  const money = wallet({
    store,
    clock,
    feed,
    newId,
    journal: (processId) => journal(journals, processId, failpoint),
    onTrouble: (error) => log.error({ error: String(error) }, 'the ledger could not be reached'),
    booked: (settlements) => mark.booked(settlements),
    failpoint,
  });
  const running = runningRequests();
  const replayable = replays(clock);
  const onDropped = (count: number) => log.error({ count }, 'request records were dropped');
  const requests = requestLog({ store, onDropped, failpoint });
  const rates = minuteRates(clock.elapsed);
  const startedAt = clock.now();
  const retention = requestRetention({
    store,
    clock,
    keepMs: () => config.requests.retention,
    keepUsageMs: () => config.requests.usageRetention,
  });
  let live: Snapshot;
  let { resources: described } = loaded;

  async function refresh(): Promise<void> {
    const next = await snapshot({ store, config, env, kinds: knownKinds, vault });
    // No request may be charged by figures that nobody could look up later.
    await rememberPrices(
      store,
      next.catalog.all().map(({ price }) => price),
    );
    live = next;
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
    described = next.resources;
    await refresh();
    return { needsRestart };
  }

  await apply(loaded);
  for (const gap of await keepLedgerGaps(store, config.data)) log.error({ gap }, 'charges are missing from the ledger');
  await replayJournals(journals, (settlements) => store.transaction((tx) => settle(tx, settlements)));
  await money.start();
  const publicRoutes = routes({
    clock,
    keys,
    requests: {
      ...requests,
      write(record) {
        rates.count(record);
        requests.write(record);
      },
    },
    running,
    replays: replayable,
    inference: {
      current: () => ({ catalog: live.catalog, lane: upstreams.lane }),
      router: { clock, random: Math.random, waitMaxMs: () => config.waiting.maxWait, budget: upstreams.budget },
      counter,
      expected: expectedOutput(),
      wallet: money,
    },
    balance: (accountId) => balanceOf(store, accountId),
    settings: () => surfaceSettings(config),
    version: () => live.version,
  });
  const consoleParts: ConsoleParts = {
    store,
    clock,
    pepper,
    pause,
    current: () => live,
    settings: () => consoleSettings(config),
    onTrouble: (message) => log.error({ error: message }, 'signing in to the dashboard failed'),
  };
  const people = identity(consoleParts);
  const { messagesPrefix } = config;
  const operatorRoutes = adminRoutes({
    store,
    clock,
    pepper,
    ledger: (inside) => ledgerOf(inside, clock),
    resources: (inside) => resources(inside, { clock, kinds: knownKinds, vault: () => Promise.resolve(vault) }),
    usage: usageFromRequests,
    current: () => live,
    currency: () => config.currency,
    upstreams: () => ({ upstreams: upstreams.report(), retries: upstreams.budget }),
    messagesPrefix: () => messagesPrefix,
    live: () => ({ requests: running.count, queues: upstreams.queues(), rates: rates.read() }),
    system: () => ({
      process: { id: money.processId, startedAt },
      build: buildStamp,
      file: options.configFile === undefined ? undefined : basename(options.configFile),
      resources: described,
      problems: live.problems,
    }),
    presets: knownProviders,
    test: async (name) => {
      const find = () => [...live.upstreams, ...live.disabled].find((each) => each.name === name);
      // It may have been added a moment ago.
      if (!find()) await refresh();
      const spec = find();
      const routes = live.catalog.all().flatMap((model) => model.routes);
      const model = routes.find(({ upstream }) => upstream === name)?.model;
      return spec && probeUpstream(spec, { clock, newId, model });
    },
    signedIn: (exchange) => people.signedIn(exchange),
  });
  const consoleRoutes = [...dashboardRoutes(dashboardFiles(dashboard)), ...authRoutes(consoleParts, people)];
  const isMessages = (path: string) => path.startsWith(`${messagesPrefix}/`);
  const queue = { bytesMax: config.waiting.maxBytes, queuedBytes: () => upstreams.waitingBytes };
  const pressure = new Pressure({ ...signs, queue });
  const blocks = blockWatch(signs, clock);
  pressure.onLook(() => blocks.look());
  const probes = healthRoutes(() => readiness());
  const serverParts = {
    limits: httpLimits(config),
    stamp: () => live.version,
    newId,
    explain: (error: unknown, { id, path }: { readonly id: string; readonly path: string }) =>
      (isMessages(path) ? explainMessages : explain)(error, id, config.supportEmail),
    idHeader: (path: string) => (isMessages(path) ? messagesIdHeader : undefined),
    observe: accessLog(log, healthPaths),
    elapsed: clock.elapsed,
  };
  const server = httpServer({
    ...serverParts,
    pressure,
    routes: [...publicRoutes, ...operatorRoutes, ...consoleRoutes, ...probes],
  });
  const probeServer =
    config.listen.healthPort === undefined ? undefined : httpServer({ ...serverParts, routes: probes });
  const ending = shutdown(server, running, replayable);
  let closed: Promise<void> | undefined;

  function readiness(): readonly ReadinessCheck[] {
    return readinessOf({
      isShuttingDown: ending.hasBegun,
      storeSeenMs: clock.elapsed() - feed.freshAt,
      recentBlockMs: blocks.recentBlockMs,
      isPressed: pressure.calls('hold-bodies'),
    });
  }

  async function close(): Promise<void> {
    unsubscribe();
    pressure.stop();
    signs.stop();
    feed.stop();
    retention.stop();
    upstreams.close();
    await Promise.all([keys.stop(), counter.stop(), requests.stop(), money.stop()]);
    await mark.stop();
    await store.close();
    probeServer?.destroy();
    await closeLog();
  }
  const unsubscribe = feed.subscribe((changes) => {
    for (const { topic, subject } of changes) if (topic === 'cut') running.cut(subject);
    if (!changes.some(({ topic }) => topic === 'catalog')) return;
    refresh().catch((error: unknown) => log.error({ error: String(error) }, 'the catalog could not be read again'));
  });
  feed.start();
  keys.start();
  retention.start();
  pressure.start();
  const { host, port, healthPort } = config.listen;
  const probed = healthPort === undefined ? undefined : await probeServer?.listen(host, healthPort);
  const address = await server.listen(host, port);

  return {
    address,
    store,
    pepper,
    apply,
    current: () => live,
    healthPort: probed?.port,
    inFlight: () => ({ exchanges: server.inFlight, answers: upstreams.running }),
    alive: () => ({
      exchanges: server.inFlight,
      answers: upstreams.running,
      requests: running.count,
      holds: money.holds,
      ...upstreams.taken(),
      connections: server.connected,
    }),
    report: (error) =>
      log.error({ error: error instanceof Error ? error.stack : String(error) }, 'an unexpected error'),
    stop({ graceMs } = { graceMs: config.shutdownGrace }) {
      const drained = ending.within(graceMs);
      closed ??= drained.then(close);
      return closed;
    },
  };
}

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

function consoleSettings({ supportEmail, currency, messagesPrefix, signIn }: Config) {
  return { supportEmail, currency, messagesPrefix, oidc: signIn.oidc };
}

/** Whoever left need not be waited for. */
const pauseFor: Pause = (ms, signal) => delay(ms, undefined, { signal, ref: false });

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
