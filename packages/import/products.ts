import type { Importer } from './importer.ts';
import type { Product } from './plan.ts';

/** The importers, each loaded only if it is used. */
export const importers: Readonly<Record<Product, () => Promise<Importer>>> = {
  litellm: async () => (await import('./litellm/import-litellm.ts')).importLiteLlm,
  bifrost: async () => (await import('./bifrost/import-bifrost.ts')).importBifrost,
  'new-api': async () => (await import('./one-api/one-api.ts')).importNewApi,
  'one-api': async () => (await import('./one-api/one-api.ts')).importOneApi,
};
