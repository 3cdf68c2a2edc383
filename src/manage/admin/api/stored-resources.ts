import { Resources } from '../../../money/catalog/resources.ts';
import { knownKinds } from '../../../serving/upstreams/providers/presets.ts';
import type { AdminParts } from '../parts.ts';

export function storedResources({ store, clock, vault }: AdminParts): Resources {
  return new Resources(store, { clock, kinds: knownKinds, vault: () => Promise.resolve(vault) });
}
