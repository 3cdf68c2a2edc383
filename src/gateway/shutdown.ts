import type { Clock } from '../core/clock.ts';
import { GatewayError } from '../core/gateway-error.ts';
import type { HttpServer } from '../http/server.ts';
import type { RunningRequests } from '../inference/running-requests.ts';

/** The end of a gateway's work: running answers may finish, nobody begins to wait, and nobody is cut off without a word. */
export interface Shutdown {
  readonly hasBegun: boolean;
  /**
   * Resolves when no request is left. What still runs after the grace is told so, in a status or in a frame. Called again
   * it sets the time anew, so that a second wish to stop can mean now.
   */
  within(graceMs: number): Promise<void>;
  /** Resolves when everybody has left by themselves, and else as above. Those who wait go on waiting. */
  unhurried(graceMs: number): Promise<void>;
  /** How long something that is left to be done may take: as long as it would, but not beyond the end of all. */
  leftMs(mostMs: number): number;
}

/** How long the last frames may take to reach clients that read slowly. */
const farewellMs = 5000;

/** And those that have read nothing since the shutdown began. */
const shortFarewellMs = 1000;

/** How long charges and records of the last requests may take once nobody is connected any more. */
const settleTimeoutMs = 10_000;

/**
 * How long all that follows the grace may take together. Service managers are told to give 30 seconds more than the grace,
 * and to be cut off by them would cost the last lines of the log, and more.
 */
export const afterGraceMs = 25_000;

interface ShutdownParts {
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly server: Pick<HttpServer, 'retire' | 'drain' | 'noteReaders' | 'giveUp' | 'cutStoppedReaders' | 'destroy'>;
  readonly running: Pick<RunningRequests, 'endWaiting' | 'endAll' | 'settled'>;
  /** Replies kept for clients that may come back. */
  readonly replays: { stop(): void };
}

export function shutdown({ clock, server, running, replays }: ShutdownParts): Shutdown {
  let overMs = Number.POSITIVE_INFINITY;
  let isEnding = false;
  let isRetiring = false;
  let timer: NodeJS.Timeout | undefined;
  let drained: Promise<void> | undefined;
  /** Somebody does not want to wait until all have left by themselves. */
  const hurried = Promise.withResolvers<void>();

  async function drain(): Promise<void> {
    running.endWaiting();
    await server.drain();
    clearTimeout(timer);
    replays.stop();
    await running.settled(leftMs(settleTimeoutMs));
  }

  function leftMs(mostMs: number): number {
    return Math.max(0, Math.min(mostMs, overMs - clock.elapsed()));
  }

  function endNow(): void {
    isEnding = true;
    running.endAll();
    // Answers that have begun end in their own way first; this is for requests that are none, or not yet.
    setImmediate(() => server.giveUp(new GatewayError('shutting-down')));
    timer = setTimeout(() => {
      server.cutStoppedReaders();
      timer = setTimeout(() => server.destroy(), farewellMs - shortFarewellMs);
    }, shortFarewellMs);
  }

  function begin(): void {
    if (!hasBegun()) server.noteReaders();
  }

  function hasBegun(): boolean {
    return isRetiring || drained !== undefined;
  }

  function within(graceMs: number): Promise<void> {
    begin();
    if (!isEnding) {
      clearTimeout(timer);
      timer = setTimeout(endNow, graceMs);
      overMs = clock.elapsed() + graceMs + afterGraceMs;
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
    async unhurried(graceMs) {
      begin();
      isRetiring = true;
      timer ??= setTimeout(() => void within(0), graceMs);
      await Promise.race([server.retire(), hurried.promise]);
      await (drained ?? within(graceMs));
    },
  };
}
