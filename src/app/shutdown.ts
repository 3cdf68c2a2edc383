import type { Clock } from '../core/time/clock.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { HttpServer } from '../serving/http/server.ts';
import type { RunningRequests } from '../serving/inference/running-requests.ts';

/** How long slow clients may take to read the last frames. */
const slowClientMs = 5000;

/** The same for clients that have read nothing since the shutdown began. */
const stalledClientMs = 1000;

/** How long the charges and records of the last requests may take once no client is connected. */
const settleTimeoutMs = 10_000;

/**
 * How long everything after the grace period may take. Service managers are configured to allow 30 s more than the
 * grace period. If they kill the process, it loses its last log lines, and more.
 */
export const afterGraceMs = 25_000;

interface ShutdownParts {
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly server: Pick<HttpServer, 'retire' | 'drain' | 'noteReaders' | 'giveUp' | 'cutStoppedReaders' | 'destroy'>;
  readonly running: Pick<RunningRequests, 'endWaiting' | 'endAll' | 'settled'>;
  /** Replay buffers for clients that may retry. */
  readonly replays: { stop(): void };
}

/** The shutdown: running answers may finish, no request starts to wait, and every ended request gets an error. */
export function shutdown({ clock, server, running, replays }: ShutdownParts) {
  let deadlineMs = Number.POSITIVE_INFINITY;
  let isEnding = false;
  let isRetiring = false;
  let timer: NodeJS.Timeout | undefined;
  let drained: Promise<void> | undefined;
  /** Resolves when a stop does not wait until all clients have left. */
  const hurried = Promise.withResolvers<void>();
  const graceOver = Promise.withResolvers<void>();

  async function drain(): Promise<void> {
    running.endWaiting();
    await server.drain();
    // Lines of batches have no client: they may end within the grace period, too.
    const graceLeftMs = deadlineMs - afterGraceMs - clock.elapsed();
    if (!isEnding) await Promise.race([running.settled(graceLeftMs), graceOver.promise]);
    clearTimeout(timer);
    running.endAll();
    replays.stop();
    await running.settled(leftMs(settleTimeoutMs));
  }

  /** How long a remaining step may take: `mostMs`, but not beyond the end of the shutdown. */
  function leftMs(mostMs: number): number {
    return Math.max(0, Math.min(mostMs, deadlineMs - clock.elapsed()));
  }

  function endNow(): void {
    isEnding = true;
    running.endAll();
    graceOver.resolve();
    // Answers that have begun end by themselves first. This is for requests that have no answer, or none yet.
    setImmediate(() => server.giveUp(new GatewayError('shutting-down')));
    timer = setTimeout(() => {
      server.cutStoppedReaders();
      timer = setTimeout(() => server.destroy(), slowClientMs - stalledClientMs);
    }, stalledClientMs);
  }

  const hasBegun = (): boolean => isRetiring || drained !== undefined;

  /** Resolves when no request is left; after the grace period they get an error. Another call sets the period again. */
  function within(graceMs: number): Promise<void> {
    if (!hasBegun()) server.noteReaders();
    if (!isEnding) {
      clearTimeout(timer);
      timer = setTimeout(endNow, graceMs);
      deadlineMs = clock.elapsed() + graceMs + afterGraceMs;
    }
    drained ??= drain();
    hurried.resolve();
    return drained;
  }

  return {
    get hasBegun() {
      return hasBegun();
    },
    within,
    leftMs,
    /** Resolves when all clients have left, or as `within` after the grace period. Queued requests keep waiting. */
    async afterClientsLeave(graceMs: number): Promise<void> {
      if (!hasBegun()) server.noteReaders();
      isRetiring = true;
      timer ??= setTimeout(() => void within(0), graceMs);
      await Promise.race([server.retire(), hurried.promise]);
      await (drained ?? within(graceMs));
    },
  };
}
