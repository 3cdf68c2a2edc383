import { keySlotTerms } from '../money/accounts/key-limits.ts';
import { KeyRing } from '../money/accounts/key-ring.ts';
import { openPepper } from '../platform/secrets/pepper.ts';
import { openSessionSecret } from '../manage/console/session-secret.ts';
import { secretVault } from '../platform/secrets/secret-vault.ts';
import { changeFeed } from '../platform/cluster/change-feed.ts';
import type { LoadedConfig } from '../platform/config/load.ts';
import { environmentProxies } from '../platform/config/schema/proxy.ts';
import { buildStamp } from '../core/build-stamp.ts';
import { systemClock } from '../core/time/clock.ts';
import { noFailpoint } from '../core/failpoint.ts';
import { requestIds } from '../core/request-id.ts';
import type { GatewayOptions, WorkerRole } from './gateway.ts';
import { Metrics } from './metrics.ts';
import { openBatches } from './batches.ts';
import { bodyTerms, openBodies } from './bodies.ts';
import { type LiveConfiguration, liveConfiguration } from './live-configuration.ts';
import { openMoney } from './money.ts';
import { autoTopUps } from './payments.ts';
import { processWatch } from './process-watch.ts';
import { ReloadWatch } from './reload-watch.ts';
import { accessLines, requestRecords } from './records.ts';
import { sharing } from './sharing.ts';
import { idempotencyClaims } from './idempotency-claims.ts';
import { deletionError, reportInternalError } from './logged-errors.ts';
import { storeJobs } from './store-jobs.ts';
import { openTraces } from './tracing.ts';
import { SchemaWorkerPool } from '../serving/inference/constraints/schema-worker-pool.ts';
import { runningRequests } from '../serving/inference/running-requests.ts';
import { tokenCounter } from '../serving/inference/tokens/token-counter.ts';
import { Mailer } from '../operate/notifications/email/mailer.ts';
import { openNotifications } from '../operate/notifications/notifications.ts';
import { KeySlots } from '../serving/routing/slots/key-slots.ts';
import { Upstreams } from '../serving/routing/upstreams.ts';
import { responseKeeper } from '../work/responses/response-keeper.ts';
import { storedResponses } from '../work/responses/stored-responses.ts';
import { openStore } from '../platform/store/store.ts';
import { Creations } from '../serving/surfaces/creations.ts';
import { storeLateMs } from '../serving/surfaces/health.ts';
import { Replays } from '../serving/surfaces/replies/replays.ts';
import { healthLog } from '../operate/telemetry/logs/health-log.ts';
import { openLog } from '../operate/telemetry/logs/log.ts';
import { logRepeated } from '../operate/telemetry/logs/repeated-error.ts';
import { StoreLog } from '../operate/telemetry/logs/store-log.ts';
import { processStats } from '../operate/telemetry/process-stats.ts';
import { openUpstream } from '../serving/upstreams/open-upstream.ts';

export type GatewayParts = Awaited<ReturnType<typeof openParts>>;

/** Opens all parts behind the endpoints. None of them is started yet. */
export async function openParts(loaded: LoadedConfig, options: GatewayOptions) {
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
      clock,
      accountBytesMax: () => configuration.config.responses.accountBytesMax,
      onError: logRepeated(log, clock, 'responses could not be stored'),
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
    creations: new Creations({ ...base, failpoint }),
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
    onWaiting: options.onWaiting,
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

/** Returns undefined if metrics are disabled. */
function metricsOf(
  { config }: LoadedConfig,
  current: () => LiveConfiguration['live'],
  worker: WorkerRole | undefined,
): Metrics | undefined {
  if (!config.telemetry.metrics) return undefined;
  return new Metrics({ config, current, gather: worker && ((own) => worker.metrics(own)) });
}
