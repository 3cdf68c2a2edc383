import type { HealthName } from '../../api/resource.ts';
import type { CredentialHealth } from '../../api/wire.ts';

const bestFirst: readonly HealthName[] = ['healthy', 'ramping', 'half-open', 'ejected', 'disabled'];

/** The state of the best credential, because requests use that one. Null if none is in use. */
export function bestStateOf(credentials: readonly Pick<CredentialHealth, 'state'>[]): HealthName | null {
  return bestFirst.find((state) => credentials.some((credential) => credential.state === state)) ?? null;
}

/** The lowest typical time to first token of the credentials. Null before the first answer. */
export function latencyOf(credentials: readonly Pick<CredentialHealth, 'latency_ms'>[]): number | null {
  const known = credentials.flatMap(({ latency_ms }) => (latency_ms === null ? [] : [latency_ms]));
  return known.length === 0 ? null : Math.min(...known);
}

/** The most recent error of any credential. */
export function lastErrorOf(credentials: readonly CredentialHealth[]): CredentialHealth | undefined {
  return credentials
    .filter(({ last_error }) => last_error !== null)
    .toSorted((one, other) => (other.last_error_at ?? '').localeCompare(one.last_error_at ?? ''))[0];
}
