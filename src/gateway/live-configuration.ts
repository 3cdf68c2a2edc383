import { accounts } from '../accounts/accounts.ts';
import { grantFirstCredits } from '../billing/first-credit.ts';
import { rememberPrices } from '../billing/price-book.ts';
import { applyFile } from '../catalog/apply-file.ts';
import type { SecretVault } from '../catalog/secret-vault.ts';
import { type Snapshot, snapshot } from '../catalog/snapshot.ts';
import type { Config } from '../config/config.ts';
import type { Environment } from '../config/environment.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { Resource } from '../config/resource.ts';
import type { UpstreamSpec } from '../config/upstream.ts';
import type { Clock } from '../core/clock.ts';
import type { Store } from '../store/store.ts';
import type { Log } from '../telemetry/log.ts';
import { knownKinds } from '../upstreams/presets.ts';

/** What the gateway runs by: the configuration file, put together with what the store holds. */
export interface LiveConfiguration {
  /** The settings in force. */
  readonly config: Config;
  /** What the file, or the defaults, say of the catalog. */
  readonly described: readonly Resource[];
  /** The catalog as requests see it. */
  readonly live: Snapshot;
  /** Takes another configuration into use. What only a restart can change is named. */
  apply(next: LoadedConfig): Promise<{ readonly needsRestart: readonly string[] }>;
  /** Reads the stored part again. */
  refresh(): Promise<void>;
}

interface Parts {
  readonly store: Store;
  readonly clock: Clock;
  readonly env: Environment;
  readonly vault: SecretVault;
  readonly log: Log;
  /** Takes upstreams into use. */
  readonly useUpstreams: (specs: readonly UpstreamSpec[]) => void;
}

/** Begins with the given settings; there is a catalog once they were applied. */
export function liveConfiguration(loaded: LoadedConfig, parts: Parts): LiveConfiguration {
  const { store, clock, env, vault, log, useUpstreams } = parts;
  let { config, resources: described } = loaded;
  let live: Snapshot;

  async function refresh(): Promise<void> {
    const next = await snapshot({ store, config, env, kinds: knownKinds, vault });
    // No request may be charged by figures that nobody could look up later.
    await rememberPrices(
      store,
      next.catalog.all().map(({ price }) => price),
    );
    live = next;
    for (const problem of live.problems) log.warn({ problem }, 'a stored entry was left out');
    useUpstreams(live.upstreams);
  }

  return {
    get config() {
      return config;
    },
    get described() {
      return described;
    },
    get live() {
      return live;
    },
    refresh,
    async apply(next) {
      await applyFile(store, next.resources, clock);
      await accounts(store, clock).ensure(next.config.accounts);
      await grantFirstCredits(store, clock);
      const needsRestart = restartOnly.filter((name) => !isSame(config[name], next.config[name]));
      config = next.config;
      described = next.resources;
      await refresh();
      return { needsRestart };
    },
  };
}

/** Settings that are read once. */
const restartOnly = [
  'listen',
  'data',
  'database',
  'secret',
  'limits',
  'log',
  'messagesPrefix',
] as const satisfies readonly (keyof Config)[];

function isSame(before: unknown, after: unknown): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}
