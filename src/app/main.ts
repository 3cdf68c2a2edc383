import type { LoadedConfig } from '../platform/config/load.ts';
import { within } from '../core/time/within.ts';
import type { Gateway, GatewayOptions } from './gateway.ts';
import { CatalogFollower } from './catalog-follower.ts';
import { type GatewayParts, openParts } from './parts.ts';
import { openServing, type RunningServers } from './serving.ts';
import { reportInternalError } from './logged-errors.ts';

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
