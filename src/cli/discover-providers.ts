import type { DiscoveredProvider } from '../config/discovered.ts';
import { systemClock } from '../core/clock.ts';
import { discover } from '../upstreams/discovery.ts';

/** Providers that can be used without anyone having described them. */
export interface Findings {
  readonly providers: readonly DiscoveredProvider[];
  /** Those that looked usable and were not. */
  readonly missed: readonly { readonly preset: string; readonly reason: string }[];
}

export async function discoverProviders(env: NodeJS.ProcessEnv): Promise<Findings> {
  const { found, missed } = await discover({ env, clock: systemClock });
  const providers = found.map(({ models, ...provider }) => ({ ...provider, models: models.map(({ id }) => id) }));
  return { providers, missed };
}
