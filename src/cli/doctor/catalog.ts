import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readSecrets } from '../../platform/secrets/pepper.ts';
import { readRows } from '../../money/catalog/resource-rows.ts';
import { type SecretVault, secretVault } from '../../platform/secrets/secret-vault.ts';
import { storedEntries } from '../../money/catalog/stored-entries.ts';
import type { Config } from '../../platform/config/config.ts';
import { openStore } from '../../platform/store/store.ts';
import { knownKinds } from '../../serving/upstreams/providers/presets.ts';
import type { NamedGateway } from '../place.ts';
import { type DoctorFinding, problem, warning } from './finding.ts';
import { configuredSecrets } from './store.ts';

export type CatalogEntries = Pick<Config, 'upstreams' | 'models'>;

/**
 * The providers and models of the file together with those of the store, and the stored entries that cannot be used.
 * Without a target, only those of the file.
 */
export async function catalogFindings(
  config: Config,
  target: NamedGateway | undefined,
): Promise<{ readonly entries: CatalogEntries; readonly findings: readonly DoctorFinding[] }> {
  const rows = target ? (await rowsOf(target)).filter(({ source }) => source === 'store') : [];
  if (!target || rows.length === 0) return { entries: config, findings: [] };
  const vault = vaultOf(target);
  if (vault === undefined) {
    const says =
      'The providers in the store are not checked, because this command does not have the secret of the gateway.';
    const fix =
      'Run doctor with the environment variables of the gateway. If secret.key is lost, restore it from a backup.';
    return { entries: config, findings: [warning('providers', says, fix)] };
  }
  const context = { env: process.env, kinds: knownKinds, vault, egress: config.egress };
  const { upstreams, models, problems } = storedEntries(rows, config, context);
  return {
    entries: { upstreams: [...config.upstreams, ...upstreams], models: [...config.models, ...models] },
    findings: problems.map(({ says, fix }) => problem('providers', says, fix)),
  };
}

async function rowsOf({ data, database }: NamedGateway) {
  const store = await openStore({ data, database });
  try {
    return await readRows(store.db);
  } finally {
    await store.close();
  }
}

/** `undefined` without the secret. Unlike the start of a gateway, it creates no secret and does not check it. */
function vaultOf({ data, ...target }: NamedGateway): SecretVault | undefined {
  const configured = configuredSecrets(target);
  if (configured === 'elsewhere') return undefined;
  if (configured === undefined && !existsSync(join(data, 'secret.key'))) return undefined;
  const [secret, ...otherSecrets] = configured?.texts ?? [];
  try {
    const { pepper, others } = readSecrets({ data, secret, otherSecrets });
    return secretVault(Object.assign(pepper, { others }));
  } catch {
    // The file cannot be read.
    return undefined;
  }
}
