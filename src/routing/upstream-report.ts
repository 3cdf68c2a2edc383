import type { Clock } from '../core/clock.ts';
import type { Channel } from './channel.ts';
import type { Standing } from './channel-health.ts';
import type { Lane } from './options.ts';

/** How an upstream is doing, as this process sees it. Times are wall-clock milliseconds. */
export interface UpstreamReport {
  readonly name: string;
  readonly running: number;
  readonly waiting: number;
  readonly limit: number;
  readonly credentials: readonly CredentialReport[];
}

export interface CredentialReport {
  /** Its place in the configuration, counted from 0. */
  readonly index: number;
  readonly state: Standing;
  /** When it may be tried again, if it is out. */
  readonly outUntil: number | undefined;
  readonly pausedUntil: number | undefined;
  readonly running: number;
  readonly latencyMs: number | undefined;
  readonly failures: number;
  readonly lastError: string | undefined;
  readonly lastErrorAt: number | undefined;
}

export function upstreamReport({ upstream, queue, channels }: Lane, clock: Clock): UpstreamReport {
  const { running, waiting, limit } = queue;
  const credentials = channels.map((channel) => credentialReport(channel, clock));
  return { name: upstream.name, running, waiting, limit, credentials };
}

function credentialReport(channel: Channel, clock: Clock): CredentialReport {
  const { health, running, latencyMs, lastError } = channel;
  const atWall = (elapsedMs: number): number => Math.round(clock.now() + elapsedMs - clock.elapsed());
  return {
    index: channel.credential,
    state: channel.standing,
    outUntil: health.out && atWall(health.out.until),
    pausedUntil: channel.pausedMs() > 0 ? atWall(clock.elapsed() + channel.pausedMs()) : undefined,
    running,
    latencyMs: latencyMs === undefined ? undefined : Math.round(latencyMs),
    failures: health.failures,
    lastError: lastError?.words,
    lastErrorAt: lastError?.at,
  };
}
