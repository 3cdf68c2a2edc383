import { useRead } from '../../api/queries.ts';
import type { OwnModels } from '../../api/wire.ts';

/** The models that the chosen account can call on this domain. */
export function useModels({ enabled = true }: { readonly enabled?: boolean } = {}) {
  return useRead<OwnModels>('/account/v1/models', {}, { staleTime: 60_000, enabled });
}

/** The models with a chat surface. */
export function chatModels(models: OwnModels | undefined): OwnModels['data'] {
  return (models?.data ?? []).filter(({ surfaces }) => surfaces.length > 0);
}
