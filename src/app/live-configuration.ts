import type { Pepper } from '../platform/secrets/key-digest.ts';
import { accounts } from '../money/accounts/accounts.ts';
import { ensureKeys } from '../money/accounts/file-keys.ts';
import { grantFirstCredits } from '../money/billing/ledger/first-credit.ts';
import { rememberPrices } from '../money/billing/ledger/price-book.ts';
import { applyFile } from '../money/catalog/apply-file.ts';
import { recordBuild } from '../money/catalog/catalog-version.ts';
import { catalogLock } from '../money/catalog/resource-rows.ts';
import type { SecretVault } from '../platform/secrets/secret-vault.ts';
import { type Snapshot, snapshot } from '../money/catalog/snapshot.ts';
import type { Config } from '../platform/config/config.ts';
import type { Environment } from '../platform/config/environment.ts';
import type { LoadedConfig } from '../platform/config/load.ts';
import type { Resource } from '../platform/config/schema/resource.ts';
import type { UpstreamSpec } from '../platform/config/schema/upstream.ts';
import { applyFileEndpoints } from '../operate/notifications/webhooks/file-endpoints.ts';
import type { PreparedUpstreams } from '../serving/routing/upstreams.ts';
import { joined } from '../platform/store/joined.ts';
import type { Store } from '../platform/store/store.ts';
import { knownKinds } from '../serving/upstreams/providers/presets.ts';
import type { ServiceParts } from './gateway.ts';

/** The configuration in force: the configuration file merged with the stored resources. */
export interface LiveConfiguration {
  readonly config: Config;
  /** The catalog entries of the file or of the defaults. */
  readonly described: readonly Resource[];
  readonly live: Snapshot;
  /** Applies another configuration, completely or not at all. Returns the settings that need a restart. */
  apply(next: LoadedConfig): Promise<{ readonly needsRestart: readonly string[] }>;
  /** Applies a configuration that another process has written to the store. */
  adopt(next: LoadedConfig): Promise<void>;
  /** Reads the stored part again and applies it, completely or not at all. */
  refresh(): Promise<void>;
}

interface LiveConfigurationParts extends ServiceParts {
  readonly env: Environment;
  readonly vault: SecretVault;
  /** The HMAC secret for the digests of API keys. */
  readonly pepper: Pepper;
  /** The time of the running build. */
  readonly build: string;
  /** Opens upstreams, or throws without side effects. */
  readonly prepareUpstreams: (specs: readonly UpstreamSpec[]) => PreparedUpstreams;
}

/** Begins with the given settings. The catalog exists once `apply` or `adopt` has completed. */
export function liveConfiguration(loaded: LoadedConfig, parts: LiveConfigurationParts): LiveConfiguration {
  const { store, clock, log } = parts;
  let { config, resources: described } = loaded;
  let live: Snapshot;
  let lastChange: Promise<unknown> = Promise.resolve();

  /** Runs changes one after another, so that each sees the result of the one before. */
  function inSequence<Result>(change: () => Promise<Result>): Promise<Result> {
    const changed = lastChange.then(change);
    lastChange = changed.catch(() => undefined);
    return changed;
  }

  /** The old store contents, catalog and upstreams stay in use until all three have accepted the change. */
  async function change(next: Config, write: (inside: Store) => Promise<void>): Promise<void> {
    let upstreams: PreparedUpstreams | undefined;
    try {
      live = await store.transaction(async (tx) => {
        // The transaction may run again after a conflict.
        upstreams?.discard();
        upstreams = undefined;
        const inside = joined(store, tx);
        await write(inside);
        const candidate = await snapshot({ ...parts, store: inside, config: next, kinds: knownKinds });
        // Prices are stored before use, so that every charge can be explained later.
        await rememberPrices(inside, candidate.catalog.prices());
        upstreams = parts.prepareUpstreams(candidate.upstreams);
        return candidate;
      }, catalogLock);
      config = next;
    } catch (error) {
      upstreams?.discard();
      throw error;
    }
    upstreams?.use();
    for (const problem of live.problems) log.warn({ problem }, 'a stored entry was ignored');
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
      inSequence(async () => {
        await change(next.config, () => Promise.resolve());
        described = next.resources;
      }),
    refresh: () => inSequence(() => change(config, () => Promise.resolve())),
    apply: (next) =>
      inSequence(async () => {
        const needsRestart = restartOnly.filter((name) => !isSame(config[name], next.config[name]));
        await change(next.config, async (inside) => {
          await recordBuild(inside.db, parts.build);
          await applyFile(inside, next.resources, clock);
          await accounts(inside, clock).ensure(next.config.accounts, next.config.organisations);
          await ensureKeys({ db: inside.db, clock, pepper: parts.pepper }, next.config.accounts);
          await grantFirstCredits(inside, clock);
          await applyFileEndpoints(inside.db, next.config.webhooks.endpoints, clock);
        });
        described = next.resources;
        return { needsRestart };
      }),
  };
}

/** Settings that are read only at the start. */
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
