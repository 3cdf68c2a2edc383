import type { HealthName } from '../../api/resource.ts';
import type { CredentialHealth } from '../../api/wire.ts';

const bestFirst: readonly HealthName[] = ['healthy', 'ramping', 'half-open', 'ejected', 'disabled'];

/** How an upstream stands: as its best credential does, since requests go there. Null where it has none in use. */
export function standingOf(credentials: readonly Pick<CredentialHealth, 'state'>[]): HealthName | null {
  return bestFirst.find((state) => credentials.some((credential) => credential.state === state)) ?? null;
}

/** The shortest usual time to the first content among the credentials; null before anything was answered. */
export function latencyOf(credentials: readonly Pick<CredentialHealth, 'latency_ms'>[]): number | null {
  const known = credentials.flatMap(({ latency_ms }) => (latency_ms === null ? [] : [latency_ms]));
  return known.length === 0 ? null : Math.min(...known);
}

/** The error that happened last, whatever the credential. */
export function lastErrorOf(credentials: readonly CredentialHealth[]): CredentialHealth | undefined {
  return credentials
    .filter(({ last_error }) => last_error !== null)
    .toSorted((one, other) => (other.last_error_at ?? '').localeCompare(one.last_error_at ?? ''))[0];
}
