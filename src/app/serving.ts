import { ProviderThings } from '../work/provider-things/provider-things.ts';
import type { ServiceProcesses } from '../manage/admin/system/service-processes.ts';
import { isWithinLimits } from '../money/billing/budgets/limit-reading.ts';
import { balanceOf } from '../money/billing/wallet/balance.ts';
import { DeadlineTimer } from '../core/time/deadline-timer.ts';
import type { GatewayOptions } from './gateway.ts';
import type { BatchRunner } from '../work/batches/batch-runner.ts';
import { batchRunner, openBackground } from './batches.ts';
import type { MetricState } from './metrics.ts';
import { peopleRoutes } from './people.ts';
import { type Servers, servers, withStoreErrors } from './servers.ts';
import { httpLimits, surfaceSettings } from './settings.ts';
import { slotsCheck } from './sharing.ts';
import { shutdown } from './shutdown.ts';
import type { Route } from '../serving/http/route.ts';
import { expectedUsage } from '../serving/inference/tokens/expected-usage.ts';
import { conversationNames } from '../serving/routing/candidates/conversation.ts';
import { healthRoutes, type ReadinessCheck, readinessOf } from '../serving/surfaces/health.ts';
import { FastPath } from '../serving/fast-path/fast-path.ts';
import type { BackgroundResponses } from '../serving/surfaces/responses/background/background-responses.ts';
import { InFlightResponses } from '../serving/surfaces/responses/in-flight-responses.ts';
import { SealedResponses } from '../serving/surfaces/responses/sealed-responses.ts';
import { routes } from '../serving/surfaces/routes.ts';
import type { WorkerFigures } from '../operate/workers/service-state.ts';
import type { GatewayParts } from './parts.ts';
import { reportInternalError } from './logged-errors.ts';

export type RunningServers = ReturnType<typeof openServing>;

/** The endpoints and the servers that offer them. */
export function openServing(parts: GatewayParts, options: GatewayOptions) {
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
    holdsMoney: (accountId) => parts.money.wallet.holdsMoney(accountId),
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
      things: new ProviderThings(store),
      onError,
    },
    settings: surfaceSettings(() => configuration.config),
    inFlight: new InFlightResponses(),
    storage: new SealedResponses({ ...parts, store, clock, settings: () => configuration.config.responses }),
  };
}

/** The routes that API clients use. */
function publicRoutes(
  { clock, store, configuration, batching, creations, money }: GatewayParts,
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
    creations,
    limits: fileLimits,
    messageBatchLimits,
    fastPath: new FastPath({ ...surface, wallet: money.wallet }),
    balance: (accountId) => balanceOf(store, accountId),
    isWithinLimits: ({ accountId, limits = [] }) => isWithinLimits(store, { accountId, limits }, clock.now()),
    version: () => configuration.live.version,
  });
}
