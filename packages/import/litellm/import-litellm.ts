import { FindingList } from '../findings.ts';
import type { ImportInput } from '../importer.ts';
import { itemNames } from '../item-name.ts';
import { reportLost } from '../lost-rows.ts';
import type { ImportPlan } from '../plan.ts';
import type { Row } from '../table-reader.ts';
import { recordOf, textOf, textsIn } from '../values.ts';
import { SaltKey } from './decrypt.ts';
import { readDeployments } from './deployments.ts';
import { clientKeys, keyOwners, planKeys } from './keys.ts';
import { modelLists } from './model-lists.ts';
import { planModels } from './models.ts';
import { ModelPackages } from '../model-packages.ts';
import { DeploymentPrices } from './prices.ts';
import { type LiteLlmSource, readSource } from './source.ts';
import {
  type OwnerParts,
  type PersonalAccount,
  personalAccount,
  planOrganisations,
  planPersonalAccounts,
  planTeams,
} from './teams.ts';
import { withProxyBudget } from './proxy-budget.ts';
import { planUpstreams } from './upstreams.ts';
import { planUsers } from './users.ts';

/** Plans the import of a LiteLLM proxy from its database, its `config.yaml`, or both. */
export async function importLiteLlm(input: ImportInput): Promise<ImportPlan> {
  const source = await readSource(input);
  const findings = new FindingList();
  const saltKey = input.saltKey && new SaltKey(input.saltKey);
  const deployments = readDeployments(source, saltKey, findings);
  const credentials = { ...source, saltKey };
  const { upstreams, routes } = planUpstreams(deployments, credentials, itemNames(), findings);
  const models = planModels(deployments, {
    config: source.config,
    routes: new Map(routes),
    prices: new DeploymentPrices(source.prices, source.target, findings),
    listed: listedModels(source),
    findings,
  });
  const parts: OwnerParts = {
    source,
    models: modelLists(deployments, source, findings),
    packages: new ModelPackages('litellm', itemNames()),
    named: itemNames(),
    timeZone: timeZoneOf(source, findings),
    findings,
    now: input.now,
  };
  const owners = planOwners(parts);
  reportSettings(source, findings);
  const packages = parts.packages.all;
  return { ...owners, packages, upstreams, models, findings: findings.all };
}

function planOwners(parts: OwnerParts): Pick<ImportPlan, 'organisations' | 'accounts' | 'users' | 'keys'> {
  const named = itemNames();
  const organisations = planOrganisations({ ...parts, named });
  const rows = clientKeys(parts);
  const personal = personalAccounts(rows, parts);
  const accounts = [...planTeams(parts), ...planPersonalAccounts(personal, parts)];
  const people = planUsers(personal, parts);
  const keys = planKeys(rows, people, parts);
  return { ...withProxyBudget({ organisations, accounts }, { ...parts, named }), users: people.users, keys };
}

/** One account for a user, or for each organisation of the keys of a user, and one for a user who is in no team. */
function personalAccounts(rows: readonly Row[], parts: OwnerParts): readonly PersonalAccount[] {
  const ownerOf = keyOwners(parts);
  const alone = parts.source.tables.users.filter(
    (row) => textsIn(row['teams']).length === 0 && row['user_id'] !== 'default_user_id' && row['user_email'],
  );
  const ofKeys = rows.flatMap((row) => ownerOf(row).personal ?? []);
  const withKeys = new Set(ofKeys.map(({ user }) => user));
  const others = alone.map((row) => row['user_id'] ?? '').filter((user) => !withKeys.has(user));
  const all = [...ofKeys, ...others.map((user) => personalAccount(user))];
  // The one without an organisation is the first of a user.
  const byId = new Map(all.map((account) => [account.id, account]));
  return [...byId.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** Every model that a team, a user or a key names. */
function listedModels({ tables }: LiteLlmSource): readonly string[] {
  const lists = [...tables.teams, ...tables.users, ...tables.keys, ...tables.organisations];
  return [...new Set(lists.flatMap((row) => textsIn(row['models'])))].sort();
}

function timeZoneOf({ config, target }: LiteLlmSource, findings: FindingList): string {
  const zone = textOf(recordOf(config['litellm_settings'])['timezone']);
  if (zone === undefined || target.isTimeZone(zone)) return zone ?? 'UTC';
  findings.add('time_zone_unknown', { kind: 'setting', sourceId: 'litellm_settings.timezone' }, { zone });
  return 'UTC';
}

/** Settings of whole LiteLLM that the gateway has no counterpart for. */
const lostSettings: Readonly<Record<string, string>> = {
  callbacks: 'callbacks',
  success_callback: 'callbacks',
  failure_callback: 'callbacks',
  cache: 'the cache of answers',
  guardrails: 'guardrails',
  cost_discount_config: 'discounts per provider',
  cost_margin_config: 'margins per provider',
  pass_through_endpoints: 'pass-through endpoints',
};

function reportSettings({ config, lost }: LiteLlmSource, findings: FindingList): void {
  reportLost(lost, findings);
  const general = recordOf(config['general_settings']);
  if (general['master_key'] !== undefined) findings.add('master_key', { kind: 'setting', sourceId: 'master_key' });
  const all = { ...config, ...general, ...recordOf(config['litellm_settings']) };
  for (const [name, what] of Object.entries(lostSettings)) {
    if (all[name] !== undefined && all[name] !== false)
      findings.add('setting_not_taken', { kind: 'setting', sourceId: name }, { what });
  }
}
