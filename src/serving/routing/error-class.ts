import { GatewayError } from 'chat-formats/gateway-error.ts';
import { ProviderRefusal } from '../upstreams/answer/refusal.ts';

/**
 * The consequence of a failed try for the next one. `final`: every upstream would return the same error, or the error
 * is not about upstreams. `busy`: the provider requests a pause. `credential`: it rejects our credential. `local`: the
 * provider was not called, because this machine lacked a resource. For the others, another upstream may succeed.
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

/** The status of the provider's refusal, if the error is one. */
export function refusalStatusOf(error: unknown): number | undefined {
  return refusalIn(error)?.status;
}

/** How long a busy provider gets no calls. */
export function pauseMsOf(error: unknown): number {
  return Math.min(Math.max(refusalIn(error)?.retryAfterMs ?? pauseUnlessSaidMs, pauseMinMs), pauseMaxMs);
}

/** The provider's error text for the operator; secrets were removed when it was received. */
export function wordsOf(error: unknown): string {
  const cause = error instanceof GatewayError && error.cause instanceof Error ? error.cause : error;
  const words = cause instanceof Error ? cause.message : String(cause);
  return words.slice(0, wordsCharactersMax);
}

const busyStatuses: ReadonlySet<number> = new Set([429, 503, 529]);
/** 402: our account at the provider is empty. */
const credentialStatuses: ReadonlySet<number> = new Set([401, 402, 403]);
const pauseUnlessSaidMs = 1000;
/** Some providers send 0 without meaning it. */
const pauseMinMs = 100;
const pauseMaxMs = 60_000;
const wordsCharactersMax = 300;

function refusalIn(error: unknown): ProviderRefusal | undefined {
  return error instanceof GatewayError && error.cause instanceof ProviderRefusal ? error.cause : undefined;
}
