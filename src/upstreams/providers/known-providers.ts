import { clouds, ownKinds } from './own-kinds.ts';
import { presets } from './presets.ts';

/** A provider that can be configured by name, described for people. */
export interface KnownProvider {
  readonly name: string;
  readonly title: string;
  /** The address of its API. Parts in capitals depend on the customer. */
  readonly address: string;
  /** Environment variables for its credential, the usual one first. Empty if it needs no credential. */
  readonly environment: readonly string[];
  /** Fields it accepts in addition to those of all upstreams. */
  readonly fields: readonly string[];
  /** How to write its mandatory fields. */
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
