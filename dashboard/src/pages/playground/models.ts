import { useRead } from '../../api/queries.ts';
import type { BaseUrls } from '../../api/owner-documents.ts';

/** What the playground has to know of a model. */
interface CallableModel {
  readonly id: string;
  readonly surfaces: readonly string[];
  readonly thinking: boolean;
  readonly max_output_tokens: number | null;
}

interface Models {
  readonly base_urls: BaseUrls;
  readonly data: readonly CallableModel[];
}

/** The models that the chosen account can call on this domain. */
export function useModels({ enabled = true }: { readonly enabled?: boolean } = {}) {
  return useRead<Models>('/account/v1/models', {}, { staleTime: 60_000, enabled });
}
