import { keySlotTerms } from './accounts/key-limits.ts';
import { KeyRing } from './accounts/key-ring.ts';
import type { ServiceProcesses } from './admin/system/service-processes.ts';
import { openPepper } from './accounts/pepper.ts';
import { isWithinLimits } from './billing/budgets/limit-reading.ts';
import { balanceOf } from './billing/wallet/balance.ts';
import { openSessionSecret } from './console/session-secret.ts';
import { secretVault } from './catalog/secret-vault.ts';
import { changeFeed } from './cluster/change-feed.ts';
import type { LoadedConfig } from './config/load.ts';
import { environmentProxies } from './config/schema/proxy.ts';
import { buildStamp } from './core/build-stamp.ts';
import { DeadlineTimer } from './core/time/deadline-timer.ts';
import { systemClock } from './core/time/clock.ts';
import { within } from './core/time/within.ts';
import { noFailpoint } from './core/failpoint.ts';
import { requestIds } from './core/request-id.ts';
import type { Gateway, GatewayOptions, WorkerRole } from './gateway/gateway.ts';
import type { BatchRunner } from './batches/batch-runner.ts';
import { batchRunner, openBackground, openBatches } from './gateway/batches.ts';
import { bodyTerms, openBodies } from './gateway/bodies.ts';
import { CatalogFollower } from './gateway/catalog-follower.ts';
import { type LiveConfiguration, liveConfiguration } from './gateway/live-configuration.ts';
import { Metrics, type MetricState } from './gateway/metrics.ts';
import { openMoney } from './gateway/money.ts';
import { autoTopUps } from './gateway/payments.ts';
import { peopleRoutes } from './gateway/people.ts';
import { processWatch } from './gateway/process-watch.ts';
import { ReloadWatch } from './gateway/reload-watch.ts';
import { accessLines, requestRecords } from './gateway/records.ts';
import { type Servers, servers, withStoreErrors } from './gateway/servers.ts';
import { httpLimits, surfaceSettings } from './gateway/settings.ts';
import { slotsCheck, sharing } from './gateway/sharing.ts';
import { idempotencyClaims } from './gateway/idempotency-claims.ts';
import { deletionError } from './gateway/deletion-error.ts';
import { shutdown } from './gateway/shutdown.ts';
import { storeJobs } from './gateway/store-jobs.ts';
import { openTraces } from './gateway/tracing.ts';
import type { Route } from './http/route.ts';
import { expectedUsage } from './inference/tokens/expected-usage.ts';
import { SchemaWorkerPool } from './guarantees/schema-worker-pool.ts';
import { runningRequests } from './inference/running-requests.ts';
import { tokenCounter } from './inference/tokens/token-counter.ts';
import { Mailer } from './notifications/email/mailer.ts';
import { openNotifications } from './notifications/notifications.ts';
import { conversationNames } from './routing/candidates/conversation.ts';
import { KeySlots } from './routing/slots/key-slots.ts';
import { Upstreams } from './routing/upstreams.ts';
import { responseKeeper } from './responses/response-keeper.ts';
import { storedResponses } from './responses/stored-responses.ts';
import { openStore } from './store/store.ts';
import { healthRoutes, type ReadinessCheck, readinessOf, storeLateMs } from './surfaces/health.ts';
import { Replays } from './surfaces/replies/replays.ts';
import { FastPath } from './fast-path/fast-path.ts';
import type { BackgroundResponses } from './surfaces/responses/background/background-responses.ts';
import { InFlightResponses } from './surfaces/responses/in-flight-responses.ts';
import { SealedResponses } from './surfaces/responses/sealed-responses.ts';
import { routes } from './surfaces/routes.ts';
import { healthLog } from './telemetry/logs/health-log.ts';
import { type Log, openLog } from './telemetry/logs/log.ts';
import { StoreLog } from './telemetry/logs/store-log.ts';
import { processStats } from './telemetry/process-stats.ts';
import { openUpstream } from './upstreams/open-upstream.ts';
import type { WorkerFigures } from './workers/service-state.ts';

/** Assembles and starts a gateway: configuration, store, keys, upstreams, surfaces, server. */
export async function startGateway(loaded: LoadedConfig, options: GatewayOptions): Promise<Gateway> {
  const parts = await openParts(loaded, options);
  if (options.worker?.writes === false) await parts.configuration.adopt(loaded);
  else await parts.configuration.apply(loaded);
  await Promise.all([parts.money.start(), parts.shared?.leases.start()]);
  const serving = openServing(parts, options);
  const unsubscribe = followChanges(parts);
  for (const part of [
    parts.feed,
    parts.keys,
    parts.records,
    parts.responseDeletion,
    parts.bodies,
    parts.batching,
    parts.watch,
    parts.storeLog,
  ])
    part.start();
  parts.notifications.start();
  parts.topUps.start();
  parts.claims?.start();
  serving.runner.start();
  const addresses = await serving.http.listen().catch(async (error: unknown) => {
    // Without a main port the process is unreachable, but it would continue to answer probes on its health port.
    unsubscribe();
    await closedInTime().catch(() => undefined);
    throw error;
  });
  let closed: Promise<void> | undefined;

  return {
    ...addresses,
    store: parts.store,
    pepper: parts.pepper,
    apply: (next) => parts.configuration.apply(next),
    adopt: (next) => parts.configuration.adopt(next),
    reloaded: (reload) => parts.reloads.note(reload),
    current: () => parts.configuration.live,
    inFlight: () => ({ exchanges: serving.http.main.inFlight, answers: parts.upstreams.running }),
    alive: () => ({
      exchanges: serving.http.main.inFlight,
      answers: parts.upstreams.running,
      requests: parts.running.count,
      holds: parts.money.wallet.holds,
      ...parts.upstreams.taken(),
      keySlots: parts.keySlots.taken,
      keysWaiting: parts.keySlots.waiting,
      connections: serving.http.main.connected,
    }),
    report: (error) => reportInternalError(parts.log, error),
    stop: ({ graceMs } = { graceMs: parts.configuration.config.shutdownGrace }) =>
      closedAfter(serving.ending.within(graceMs)),
    retire: () => closedAfter(serving.ending.afterClientsLeave(parts.configuration.config.shutdownGrace)),
  };

  function closedAfter(drained: Promise<void>): Promise<void> {
    // No further line starts while the others end. Its errors are those of the store, which `stop` finds again.
    void serving.runner.retire().catch(() => undefined);
    closed ??= drained.then(unsubscribe).then(closedInTime);
    return closed;
  }

  function closedInTime(): Promise<void> {
    return within(close(parts, serving), { clock: parts.clock, timeoutMs: serving.ending.leftMs(closeTimeoutMs) });
  }
}

/** How long closing the parts may take. No request is served any more, and all charges are on disk. */
const closeTimeoutMs = 60_000;

type GatewayParts = Awaited<ReturnType<typeof openParts>>;

/** Opens all parts behind the endpoints. None of them is started yet. */
async function openParts(loaded: LoadedConfig, options: GatewayOptions) {
  const base = await openBase(loaded, options, () => services.configuration.live);
  const services = await openServices(base, loaded, options);
  const { clock, log, store, pepper, vault, feed, lines, traces } = base;
  const { configuration, notifications, upstreams, shared } = services;
  const { failpoint = noFailpoint, reload = { isSuccessful: true, succeededAt: clock.now() } } = options;
  const recorder = base.metrics?.recorder;
  return {
    ...base,
    ...services,
    reloads: new ReloadWatch(log, reload),
    storeLog: new StoreLog({ clock, log, seenAt: () => feed.freshAt, lateMs: storeLateMs }),
    keys: new KeyRing({ store, pepper, clock, feed, waitMaxMs: () => configuration.config.waiting.maxWait }),
    keeper: responseKeeper({
      store,
      accountBytesMax: () => configuration.config.responses.accountBytesMax,
      onError: (error) => reportInternalError(log, error),
    }),
    records: requestRecords({
      store,
      clock,
      log,
      failpoint,
      observers: [recorder, traces, lines, notifications].filter((each) => each !== undefined),
      dropped: recorder && ((records) => recorder.dropped(records)),
      keep: () => configuration.config.requests,
    }),
    responseDeletion: storedResponses.retention({
      store,
      clock,
      keepMs: () => configuration.config.responses.retention,
      onError: deletionError(log),
    }),
    bodies: openBodies({
      store,
      clock,
      pepper,
      log,
      settings: () => bodyTerms(configuration.config),
      dropped: recorder && ((requests) => recorder.bodiesDropped(requests)),
    }),
    running: runningRequests(clock),
    batching: openBatches({ ...base, config: () => configuration.config }),
    keySlots: new KeySlots({
      clock,
      queueLimit: upstreams.queueLimit,
      leases: shared?.leases,
      termsOf: (keyId) => keySlotTerms(store, keyId),
      alarm: (error) => reportInternalError(log, error),
    }),
    replays: new Replays(clock),
    claims: shared && idempotencyClaims({ store, clock, vault, leases: shared.leases, log, failpoint }),
    counter: tokenCounter(clock),
    schemas: new SchemaWorkerPool(clock),
  };
}

type BaseParts = Awaited<ReturnType<typeof openBase>>;

/** The parts that need no configuration in force when they are opened: log, metrics, traces, store and secrets. */
async function openBase(loaded: LoadedConfig, options: GatewayOptions, current: () => LiveConfiguration['live']) {
  const { env, clock = systemClock, onWaiting } = options;
  const { build = buildStamp, worker, signs = processStats(worker?.workers) } = options;
  const { data, database, secret, otherSecrets, log: logging } = loaded.config;
  const { log, close: closeLog } = openLog(logging, worker?.number);
  const lines = accessLines(loaded.config, log, clock);
  const newId = requestIds(clock);
  const metrics = metricsOf(loaded, current, worker);
  const recorder = metrics?.recorder;
  const traces = await openTraces({ ...loaded, env, clock, log, build, current });
  const store = await openStore({
    data,
    database,
    now: clock.now,
    ownThread: { jobs: storeJobs },
    onWaiting,
    committed: recorder && ((ms) => recorder.committed(ms)),
  });
  const pepper = await openPepper(store, { data, secret, otherSecrets });
  const vault = secretVault(pepper);
  const sessionSecret = await openSessionSecret(store, { pepper, vault });
  const feed = changeFeed(store, {
    clock,
    onError: (error) => log.error({ error: String(error) }, 'a change could not be followed'),
  });
  const secrets = { pepper, vault, sessionSecret };
  return { clock, build, signs, log, closeLog, lines, newId, metrics, traces, store, ...secrets, feed };
}

/** The configuration in force, and the parts that follow it: notifications, money and upstreams. */
async function openServices(base: BaseParts, loaded: LoadedConfig, options: GatewayOptions) {
  const { env, failpoint = noFailpoint, worker } = options;
  const { clock, signs, log, newId, store, vault, feed, metrics } = base;
  const { data, database } = loaded.config;
  const configuration = liveConfiguration(loaded, {
    ...base,
    env,
    prepareUpstreams: (specs) => upstreams.prepare(specs),
  });
  const proxyFor = environmentProxies(env);
  const mail = mailerOf(base, configuration);
  const notifications = openNotifications({
    store,
    clock,
    vault,
    log,
    config: () => configuration.config,
    mail,
    upstreams: () => upstreams,
    proxyFor,
    onDeletionError: deletionError(log),
  });
  const topUps = autoTopUps({ store, clock, log, config: () => configuration.config });
  const money = await openMoney({
    store,
    clock,
    feed,
    newId,
    log,
    failpoint,
    folder: data,
    refused: (charge) => notifications.chargeRefused(charge),
  });
  const shared = await sharing({
    store,
    clock,
    log,
    process: money.wallet.processId,
    database,
    arbiter: worker?.arbiter,
    worker: worker?.number,
  });
  const logHealth = healthLog(log);
  const onShortage = (message: string): void => watch.noteShortage(message);
  const upstreams = new Upstreams({
    clock,
    leases: shared?.leases,
    open: (spec) => openUpstream(spec, { proxyFor, onShortage, clock, newId }),
    healthChanged: (change) => {
      logHealth(change);
      notifications.healthChanged(change);
    },
    alarm: (error) => reportInternalError(log, error),
    bounds: () => ({
      requests: configuration.config.waiting.maxRequests,
      bytes: configuration.config.waiting.maxBytes,
    }),
  });
  const queue = { bytesMax: () => configuration.config.waiting.maxBytes, queuedBytes: () => upstreams.waitingBytes };
  const onDelay = metrics && ((ms: number) => metrics.recorder.delayed(ms));
  const watch = processWatch({ signs, clock, log, queue, onDelay });
  return { configuration, mail, notifications, topUps, money, shared, upstreams, watch };
}

function mailerOf({ clock, vault }: BaseParts, configuration: LiveConfiguration): Mailer {
  return new Mailer({
    clock,
    vault,
    settings: () => configuration.config.mail,
    siteAt: (host) => {
      const { catalog } = configuration.live;
      return catalog.site(catalog.siteFor(host) ?? '');
    },
    currency: () => configuration.config.currency,
  });
}

type RunningServers = ReturnType<typeof openServing>;

/** The endpoints and the servers that offer them. */
function openServing(parts: GatewayParts, options: GatewayOptions) {
  const { clock, feed, watch } = parts;
  const checks = () => [
    ...readinessOf({
      isShuttingDown: ending.hasBegun,
      storeSeenMs: clock.elapsed() - feed.freshAt,
      ledgerProblem: parts.money.wallet.problem,
      ledgerNote: parts.money.wallet.note,
      recentBlockMs: watch.recentBlockMs,
      isPressed: watch.pressure.isAtLeast('pause-bodies'),
      recentShortage: watch.recentShortage,
    }),
    ...slotsCheck(parts.shared),
  ];
  const scrapes = parts.metrics ? [parts.metrics.route(() => metricState({ ...parts, runner }, http, checks()))] : [];
  const surface = surfaceOf(parts);
  const config = () => parts.configuration.config;
  const responses = openBackground({ ...parts, ...parts.batching, ...surface, claims: parts.claims, config });
  const runner = batchRunner({
    ...parts,
    ...parts.batching,
    ...responses,
    config,
    processId: () => parts.money.wallet.processId,
    isSurelyAlive: () => parts.money.wallet.isSurelyAlive,
    recorder: parts.metrics?.recorder,
    surface,
  });
  const http = servers({
    ...parts,
    scrapes,
    observers: [parts.lines, ...(parts.metrics ? [parts.metrics.recorder] : [])],
    pressure: watch.pressure,
    onFull: () => watch.noteShortage('as many clients are connected as its open files allow (EMFILE)'),
    routes: [
      ...publicRoutes(parts, { ...surface, ...responses }),
      ...peopleRoutes({
        ...parts,
        ...parts.batching,
        processId: () => parts.money.wallet.processId,
        figures: () => service().figures,
        sharing: () => wholeService(parts),
        forOperators: scrapes,
        options,
      }),
    ].map(withStoreErrors),
    probes: healthRoutes(() => service().checks),
  });
  const ending = shutdown({ ...parts, server: http.main });
  const own = () => ({ checks: checks(), figures: figuresOf(parts) });
  const service = options.worker?.service(own) ?? own;
  return { http, ending, runner };
}

/** Returns undefined if metrics are disabled. */
function metricsOf(
  { config }: LoadedConfig,
  current: () => LiveConfiguration['live'],
  worker: WorkerRole | undefined,
): Metrics | undefined {
  if (!config.telemetry.metrics) return undefined;
  return new Metrics({ config, current, gather: worker && ((own) => worker.metrics(own)) });
}

/** The values of the gauges now. */
function metricState(
  parts: GatewayParts & { readonly runner: BatchRunner },
  { main }: Pick<Servers, 'main'>,
  checks: readonly ReadinessCheck[],
): MetricState {
  const { clock, feed, upstreams, running, money } = parts;
  return {
    requests: running.count,
    connections: main.connected,
    upstreams: upstreams.measures(),
    budget: upstreams.budget,
    waitingBytes: upstreams.waitingBytes,
    batches: parts.runner.figures,
    wallet: money.wallet,
    storeSeenMs: clock.elapsed() - feed.freshAt,
    isReady: checks.every(({ problem }) => problem === undefined),
    sharing: parts.shared?.leases.status,
    reload: parts.reloads.state,
  };
}

function figuresOf({ running, upstreams, records }: GatewayParts): WorkerFigures {
  const { inUse, limit } = upstreams.budget;
  return { requests: running.count, retries: { inUse, limit }, rates: records.rates.read() };
}

/** The processes that share upstreams with this one; empty while the list cannot be read. */
async function wholeService({ shared }: GatewayParts): Promise<ServiceProcesses> {
  if (!shared) return { own: undefined, members: [] };
  const { leases } = shared;
  return { own: leases.process, members: await leases.overview().catch(() => []) };
}

/** The parts of all endpoints of API clients, and of the lines of batches. */
function surfaceOf({ clock, store, configuration, upstreams, ...parts }: GatewayParts) {
  const onError = (error: unknown): void => reportInternalError(parts.log, error);
  return {
    clock,
    keys: parts.keys,
    requests: parts.records,
    running: parts.running,
    keySlots: parts.keySlots,
    bodies: parts.bodies.keeper,
    replays: parts.replays,
    claims: parts.claims?.replies,
    traces: parts.traces,
    chunks: parts.metrics?.chunks,
    deadlines: new DeadlineTimer(clock, onError),
    inference: {
      current: () => ({ catalog: configuration.live.catalog, upstream: upstreams.named }),
      router: {
        clock,
        random: Math.random,
        conversationName: conversationNames(parts.pepper),
        waitMaxMs: () => configuration.config.waiting.maxWait,
        budget: upstreams.budget,
        queueLimit: upstreams.queueLimit,
      },
      counter: parts.counter,
      schemas: parts.schemas,
      expected: expectedUsage(),
      wallet: parts.money.wallet,
      onError,
    },
    settings: surfaceSettings(() => configuration.config),
    inFlight: new InFlightResponses(),
    storage: new SealedResponses({ ...parts, store, clock, settings: () => configuration.config.responses }),
  };
}

/** The routes that API clients use. */
function publicRoutes(
  { clock, store, configuration, batching, money }: GatewayParts,
  surface: ReturnType<typeof surfaceOf> & { readonly background: BackgroundResponses },
): readonly Route[] {
  const fileLimits = () => {
    const { fileBytesMax, retention: fileKeepMs } = configuration.config.batches;
    return { fileBytesMax, fileKeepMs };
  };
  const messageBatchLimits = () => {
    const { messageBatchBytesMax } = configuration.config.batches;
    return { messageBatchBytesMax, requests: httpLimits(configuration.config) };
  };
  return routes({
    ...surface,
    ...batching,
    now: clock.now,
    limits: fileLimits,
    messageBatchLimits,
    fastPath: new FastPath({ ...surface, wallet: money.wallet }),
    balance: (accountId) => balanceOf(store, accountId),
    isWithinLimits: ({ accountId, limits = [] }) => isWithinLimits(store, { accountId, limits }, clock.now()),
    version: () => configuration.live.version,
  });
}

function reportInternalError(log: Log, error: unknown): void {
  log.error({ error: error instanceof Error ? error.stack : String(error) }, 'an unexpected error');
}

/** Applies changes that other processes and commands write. Returns a function that unsubscribes. */
function followChanges({ feed, running, keySlots, configuration, clock, log }: GatewayParts): () => void {
  const catalog = new CatalogFollower({
    clock,
    refresh: () => configuration.refresh(),
    onError: (error) => log.error({ error }, 'the catalog could not be reloaded'),
  });
  const unsubscribe = feed.subscribe((changes) => {
    for (const { topic, subject } of changes) {
      if (topic === 'cut') running.cut(subject);
      if (topic === 'key' || topic === 'account') keySlots.changed(subject);
    }
    if (changes.some(({ topic }) => topic === 'catalog')) catalog.follow();
  });
  return () => {
    unsubscribe();
    catalog.stop();
  };
}

/** A request writes its record within moments of its charge. Shutdown does not wait longer for a request that hangs. */
const lastRecordsMs = 500;

/** Closes the parts: producers first, the store and the log last. */
async function close(parts: GatewayParts, { http, runner }: RunningServers): Promise<void> {
  const { watch, feed, upstreams, keys, counter, schemas, records, money, store } = parts;
  watch.stop();
  parts.storeLog.stop();
  feed.stop();
  parts.responseDeletion.stop();
  parts.batching.stop();
  upstreams.close();
  await runner.stop();
  await parts.claims?.stop();
  // The last charges let the last requests end, and each of those still writes its record.
  await money.stop();
  await parts.running.settled(lastRecordsMs);
  await Promise.all([
    keys.stop(),
    parts.notifications.stop(),
    parts.topUps.stop(),
    counter.stop(),
    schemas.stop(),
    parts.keeper.stop(),
    parts.bodies.stop(),
    records.stop(),
    parts.shared?.stop(),
  ]);
  await Promise.all([store.close(), parts.traces?.stop()]);
  http.closeProbes();
  parts.lines.stop();
  await parts.closeLog();
}
