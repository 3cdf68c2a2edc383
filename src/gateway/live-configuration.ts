import type { Pepper } from '../accounts/key-digest.ts';
import { accounts } from '../accounts/accounts.ts';
import { ensureKeys } from '../accounts/file-keys.ts';
import { grantFirstCredits } from '../billing/first-credit.ts';
import { rememberPrices } from '../billing/price-book.ts';
import { applyFile } from '../catalog/apply-file.ts';
import { noteBuild } from '../catalog/catalog-version.ts';
import { catalogLock } from '../catalog/resource-rows.ts';
import type { SecretVault } from '../catalog/secret-vault.ts';
import { type Snapshot, snapshot } from '../catalog/snapshot.ts';
import type { Config } from '../config/config.ts';
import type { Environment } from '../config/environment.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { Resource } from '../config/resource.ts';
import type { UpstreamSpec } from '../config/upstream.ts';
import type { Clock } from '../core/clock.ts';
import { applyFileEndpoints } from '../deliveries/file-endpoints.ts';
import type { PreparedUpstreams } from '../routing/upstreams.ts';
import { joined } from '../store/joined.ts';
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
  /** Takes another configuration into use, all of it or nothing. What only a restart can change is named. */
  apply(next: LoadedConfig): Promise<{ readonly needsRestart: readonly string[] }>;
  /** Takes it into use as another process has written it into the store. */
  adopt(next: LoadedConfig): Promise<void>;
  /** Reads the stored part again, and takes it into use, all of it or nothing. */
  refresh(): Promise<void>;
}

interface LiveConfigurationParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly env: Environment;
  readonly vault: SecretVault;
  /** What the digests of API keys are made with. */
  readonly pepper: Pepper;
  readonly log: Log;
  /** When the build that runs was made. */
  readonly build: string;
  /** Opens upstreams, or throws with nothing changed. */
  readonly prepareUpstreams: (specs: readonly UpstreamSpec[]) => PreparedUpstreams;
}

/** Begins with the given settings; there is a catalog once they were applied. */
export function liveConfiguration(loaded: LoadedConfig, parts: LiveConfigurationParts): LiveConfiguration {
  const { store, clock, log } = parts;
  let { config, resources: described } = loaded;
  let live: Snapshot;
  let lastChange: Promise<unknown> = Promise.resolve();

  /** One after another: each sees what the one before it did. */
  function inTurn<Result>(change: () => Promise<Result>): Promise<Result> {
    const changed = lastChange.then(change);
    lastChange = changed.catch(() => undefined);
    return changed;
  }

  /** What the store, the catalog and the upstreams were stays in use until all of them have taken the change. */
  async function change(next: Config, write: (inside: Store) => Promise<void>): Promise<void> {
    let upstreams: PreparedUpstreams | undefined;
    try {
      const taken = await store.transaction(async (tx) => {
        // Work that collided with another's is run again.
        upstreams?.discard();
        upstreams = undefined;
        const inside = joined(store, tx);
        await write(inside);
        const seen = await snapshot({ ...parts, store: inside, config: next, kinds: knownKinds });
        await rememberPrices(inside, pricesOf(seen));
        upstreams = parts.prepareUpstreams(seen.upstreams);
        return seen;
      }, catalogLock);
      live = taken;
      config = next;
    } catch (error) {
      upstreams?.discard();
      throw error;
    }
    upstreams?.use();
    for (const problem of live.problems) log.warn({ problem }, 'a stored entry was left out');
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
    adopt: (next) =>
      inTurn(async () => {
        await change(next.config, () => Promise.resolve());
        described = next.resources;
      }),
    refresh: () => inTurn(() => change(config, () => Promise.resolve())),
    apply: (next) =>
      inTurn(async () => {
        const needsRestart = restartOnly.filter((name) => !isSame(config[name], next.config[name]));
        await change(next.config, async (inside) => {
          await noteBuild(inside.db, parts.build);
          await applyFile(inside, next.resources, clock);
          await accounts(inside, clock).ensure(next.config.accounts);
          await ensureKeys({ db: inside.db, clock, pepper: parts.pepper }, next.config.accounts);
          await grantFirstCredits(inside, clock);
          await applyFileEndpoints(inside.db, next.config.webhooks.endpoints, clock);
        });
        described = next.resources;
        return { needsRestart };
      }),
  };
}

/** No request may be charged by figures that nobody could look up later. */
function pricesOf({ catalog }: Snapshot) {
  return catalog.all().map(({ price }) => price);
}

/** Settings that are read once. */
const restartOnly = [
  'listen',
  'data',
  'database',
  'secret',
  'otherSecrets',
  'limits',
  'log',
  'telemetry',
  'messagesPrefix',
  'workers',
] as const satisfies readonly (keyof Config)[];

function isSame(before: unknown, after: unknown): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}
