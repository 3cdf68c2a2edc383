import { GatewayError } from '../core/gateway-error.ts';
import { ProviderRefusal } from '../upstreams/refusal.ts';

/**
 * What a failed try means for the next one. `final`: every upstream would say the same, or it is not about upstreams.
 * `busy`: the provider wants us to wait. `credential`: it does not want us at all. `local`: it was never asked, because
 * this machine was short of something. The others may be better elsewhere.
 */
export type ErrorClass = 'final' | 'busy' | 'credential' | 'local' | 'timeout' | 'failure';

export function errorClassOf(error: unknown): ErrorClass {
  if (!(error instanceof GatewayError)) return 'final';
  const status = refusalStatusOf(error) ?? 0;
  if (busyStatuses.has(status)) return 'busy';
  if (credentialStatuses.has(status)) return 'credential';
  if (error.case === 'overloaded') return 'local';
  if (error.case === 'upstream-timeout') return 'timeout';
  return error.case === 'upstream-failed' ? 'failure' : 'final';
}

/** The status the provider refused with, if it got as far as that. */
export function refusalStatusOf(error: unknown): number | undefined {
  return refusalIn(error)?.status;
}

/** How long a busy provider is left alone. */
export function pauseMsOf(error: unknown): number {
  return Math.min(Math.max(refusalIn(error)?.retryAfterMs ?? pauseUnlessSaidMs, pauseMinMs), pauseMaxMs);
}

/** A provider's words for the operator; secrets were taken out where the words came in. */
export function wordsOf(error: unknown): string {
  const cause = error instanceof GatewayError && error.cause instanceof Error ? error.cause : error;
  const words = cause instanceof Error ? cause.message : String(cause);
  return words.slice(0, wordsCharactersMax);
}

const busyStatuses: ReadonlySet<number> = new Set([429, 503, 529]);
/** 402 is an empty account with the provider. */
const credentialStatuses: ReadonlySet<number> = new Set([401, 402, 403]);
const pauseUnlessSaidMs = 1000;
/** Some providers say 0 and mean nothing by it. */
const pauseMinMs = 100;
const pauseMaxMs = 60_000;
const wordsCharactersMax = 300;

function refusalIn(error: unknown): ProviderRefusal | undefined {
  return error instanceof GatewayError && error.cause instanceof ProviderRefusal ? error.cause : undefined;
}
