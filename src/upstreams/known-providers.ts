import { clouds, ownKinds } from './own-kinds.ts';
import { presets } from './presets.ts';

/** A provider that can be used by name, in words for people. */
export interface KnownProvider {
  readonly name: string;
  readonly title: string;
  /** Where its API lives; with capitals where the address depends on the customer. */
  readonly address: string;
  /** Variables that may hold its credential, the usual one first; none where it wants none. */
  readonly environment: readonly string[];
  /** Fields it takes besides those of all upstreams. */
  readonly fields: readonly string[];
  /** How to write what it cannot do without. */
  readonly needs: readonly string[];
  readonly note: string | undefined;
}

export const knownProviders: readonly KnownProvider[] = [
  ...presets.map(({ baseUrl, name, title, environment, note }) =>
    known({ name, title, environment, note, address: baseUrl }),
  ),
  ...clouds.map((cloud) => known({ ...cloud, note: undefined })),
];

function known(provider: Omit<KnownProvider, 'fields' | 'needs'>): KnownProvider {
  const own = ownKinds[provider.name];
  return { ...provider, fields: own?.takes ?? [], needs: own?.needs.map(({ fix }) => fix) ?? [] };
}
