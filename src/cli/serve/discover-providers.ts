import type { Findings } from '../../config/discovered.ts';
import { systemClock } from '../../core/time/clock.ts';
import { discover } from '../../upstreams/providers/discovery.ts';

export async function discoverProviders(env: NodeJS.ProcessEnv): Promise<Findings> {
  const { found, missed } = await discover({ env, clock: systemClock });
  const providers = found.map(({ models, ...provider }) => ({ ...provider, models: models.map(({ id }) => id) }));
  return { providers, missed };
}
