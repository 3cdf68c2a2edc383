import type { LoadedConfig } from '../../platform/config/load.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { Gateway } from '../../app/gateway.ts';
import { workerVariable } from '../../operate/workers/cluster-worker.ts';
import type { ApplyResult, WorkerStart } from '../../operate/workers/messages.ts';
import { type WorkerOrder, ParentLink } from '../../operate/workers/parent-link.ts';
import { failureOf } from '../terminal/output.ts';
import { prepareAnnouncement, freeStartMemory, launchGateway } from './start-gateway.ts';

export function isWorker(): boolean {
  return process.env[workerVariable] !== undefined && process.connected;
}

/** Serves on an address shared with other workers, and executes the orders of the parent. */
export async function serveAsWorker(): Promise<void> {
  delete process.env[workerVariable];
  const link = new ParentLink(systemClock);
  const starting = Promise.withResolvers<WorkerStart>();
  const running = Promise.withResolvers<Gateway>();
  let isServing = false;
  // Orders received during the start are executed after it. A stop exits at once: the start may wait for a database.
  const ordered = (order: WorkerOrder): void => {
    if (order.kind === 'start') starting.resolve(order);
    else if (order.kind === 'stop' && !isServing) process.exit(0);
    else void running.promise.then((gateway) => executeOrder(gateway, order, link));
  };
  // Without a parent, the result of the start cannot be reported.
  const orphaned = (): void => {
    if (!isServing) process.exit(0);
    void running.promise.then((gateway) => exitAfter(gateway.stop(), link));
  };
  ignoreTerminalSignals();
  link.listen({ ordered, orphaned });
  try {
    const start = await starting.promise;
    const gateway = await launchAsWorker(start, link);
    isServing = true;
    running.resolve(gateway);
    retireOnSignalOrError(gateway, link);
    const announcement = start.announces ? await prepareAnnouncement(gateway, start.loaded, start.source) : undefined;
    freeStartMemory();
    link.send({ kind: 'ready', announcement });
  } catch (error) {
    link.send({ kind: 'refused', ...failureOf(error) });
    process.disconnect();
    process.exitCode = 1;
  }
}

function launchAsWorker(start: WorkerStart, link: ParentLink): Promise<Gateway> {
  const { number, workers, writes, loaded, source, reload } = start;
  return launchGateway(loaded, {
    configFile: source.file,
    reload,
    onWaiting: (sentence) => link.send({ kind: 'waiting', sentence }),
    worker: {
      number,
      workers,
      writes,
      arbiter: link.arbiter,
      service: (own) => link.service(own),
      metrics: link.counts.gather,
    },
  });
}

/** A terminal and some service managers signal every process. The parent handles the signal and sends an order. */
function ignoreTerminalSignals(): void {
  process.on('SIGINT', () => {});
  process.on('SIGHUP', () => {});
}

async function executeOrder(
  gateway: Gateway,
  order: Exclude<WorkerOrder, { kind: 'start' }>,
  link: ParentLink,
): Promise<void> {
  switch (order.kind) {
    case 'apply':
      return link.send({ kind: 'applied', order: order.order, ...(await applyConfig(gateway, order)) });
    case 'reloaded':
      return gateway.reloaded(order);
    case 'stop':
      return exitAfter(gateway.stop(order.graceMs === undefined ? undefined : { graceMs: order.graceMs }), link);
    case 'retire':
      return exitAfter(gateway.retire(), link);
    default:
      order satisfies never;
  }
}

async function applyConfig(
  gateway: Gateway,
  { loaded, writes }: { readonly loaded: LoadedConfig; readonly writes: boolean },
): Promise<ApplyResult> {
  try {
    if (writes) return { ok: true, ...(await gateway.apply(loaded)) };
    await gateway.adopt(loaded);
    return { ok: true, needsRestart: [] };
  } catch (error) {
    return { ok: false, message: failureOf(error).message };
  }
}

/** Sends the counters to the parent before it exits, so that they are not lost. */
async function exitAfter(closed: Promise<void>, link: ParentLink, exitCode = 0): Promise<void> {
  try {
    await closed;
    await link.sendCounts();
    process.exit(exitCode);
  } catch (error) {
    console.error(error);
    process.exit(1);
  }
}

/** On SIGTERM and after an uncaught error, finishes running requests and exits. The parent starts another worker. */
function retireOnSignalOrError(gateway: Gateway, link: ParentLink): void {
  let isBroken = false;
  const leave = (why: string, exitCode: number): void => {
    link.send({ kind: 'leaving', why });
    void exitAfter(gateway.retire(), link, exitCode);
  };
  process.on('SIGTERM', () => leave('SIGTERM', 0));
  process.on('uncaughtException', (error) => {
    gateway.report(error);
    if (!isBroken) leave('an unexpected error', 1);
    isBroken = true;
  });
}
