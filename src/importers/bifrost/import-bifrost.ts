import { capPeriods } from '../../core/time/cap-period.ts';
import { defaultTimeZone } from '../../core/time/calendar-day.ts';
import { FindingList } from '../findings.ts';
import type { ImportInput } from '../importer.ts';
import { itemNames, shownName } from '../item-name.ts';
import { ModelPackages } from '../model-packages.ts';
import type { ImportPlan, PlannedAccount, PlannedKey, PlannedOrganisation, PlannedSecret } from '../plan.ts';
import { Secret } from '../secret.ts';
import { textOf, textsOf, type Values } from '../values.ts';
import { isTruth, limitsOf, type OwnerParts, reportRates } from './budgets.ts';
import { credentialIn } from './credentials.ts';
import { EncryptionKey } from './decrypt.ts';
import { type BifrostModels, planModels } from './models.ts';
import { planProviders } from './providers.ts';
import { readBifrost } from './source.ts';

const unassignedId = 'unassigned';

/** Plans the import of Bifrost from its configuration store or its `config.json`. */
export async function importBifrost(input: ImportInput): Promise<ImportPlan> {
  const source = await readBifrost(input);
  const findings = new FindingList();
  const key = input.saltKey && new EncryptionKey(input.saltKey);
  const { upstreams, groups } = planProviders({ source, key, named: itemNames(), findings });
  const catalog = planModels(source, groups, findings);
  const packages = new ModelPackages('bifrost', itemNames());
  const parts: PlanParts = {
    source,
    findings,
    now: input.now,
    key,
    catalog,
    packages,
    named: itemNames(),
    namedOrganisation: itemNames(),
  };
  for (const { table, rows, what } of source.lost)
    findings.add('table_not_taken', { kind: 'table', sourceId: table }, { rows, what });
  for (const name of source.unread) findings.add('file_not_read', { kind: 'setting', sourceId: name }, { name });
  const organisations = source.customers.map((row) => organisationOf(row, parts));
  const keys = source.virtualKeys.flatMap((row) => keyOf(row, parts));
  const accounts = planAccounts(keys, parts);
  return {
    organisations,
    accounts,
    users: [],
    keys,
    packages: packages.all,
    upstreams,
    models: catalog.models,
    findings: findings.all,
  };
}

interface PlanParts extends Omit<OwnerParts, 'subject'> {
  readonly key: EncryptionKey | undefined;
  readonly catalog: BifrostModels;
  readonly packages: ModelPackages;
  readonly named: ReturnType<typeof itemNames>;
  readonly namedOrganisation: ReturnType<typeof itemNames>;
}

function organisationOf(row: Values, parts: PlanParts): PlannedOrganisation {
  const sourceId = textOf(row['id']) ?? '';
  const subject = { kind: 'organisation', sourceId } as const;
  reportRates(row, { ...parts, subject });
  const displayName = textOf(row['name']);
  const limits = limitsOf(row, 'customer_id', { ...parts, subject });
  return {
    sourceId,
    name: parts.namedOrganisation(displayName, sourceId),
    displayName: shownName(displayName),
    limits,
    timeZone: defaultTimeZone,
  };
}

/** One account for each team, for each customer with keys of its own, and one for all other keys. */
function planAccounts(keys: readonly PlannedKey[], parts: PlanParts): readonly PlannedAccount[] {
  const used = new Set(keys.map(({ account }) => account));
  const account = (sourceId: string, label: string, rest: Partial<PlannedAccount>): PlannedAccount => {
    const name = parts.named(label, sourceId);
    return {
      sourceId,
      name,
      displayName: shownName(label),
      packageName: parts.packages.of(undefined, name),
      billing: 'postpaid',
      status: 'active',
      limits: [],
      timeZone: defaultTimeZone,
      balance: 0n,
      ...rest,
    };
  };
  const customerIds = new Set(parts.source.customers.map((row) => textOf(row['id'])));
  const teams = parts.source.teams.map((row) => {
    const sourceId = `team:${textOf(row['id']) ?? ''}`;
    const subject = { kind: 'account', sourceId } as const;
    reportRates(row, { ...parts, subject });
    const limits = limitsOf(row, 'team_id', { ...parts, subject });
    const organisation = textOf(row['customer_id']);
    const isGone = organisation !== undefined && !customerIds.has(organisation);
    if (isGone) parts.findings.add('organisation_gone', subject, { organisation });
    return account(sourceId, textOf(row['name']) ?? '', { limits, ...(!isGone && { organisation }) });
  });
  const customers = parts.source.customers.flatMap((row) => {
    const id = textOf(row['id']) ?? '';
    return used.has(`customer:${id}`)
      ? [account(`customer:${id}`, textOf(row['name']) ?? '', { organisation: id })]
      : [];
  });
  return [...teams, ...customers, ...(used.has(unassignedId) ? [account(unassignedId, 'bifrost', {})] : [])];
}

function keyOf(row: Values, parts: PlanParts): readonly PlannedKey[] {
  const sourceId = textOf(row['id']) ?? '';
  const subject = { kind: 'key', sourceId } as const;
  const name = shownName(textOf(row['name'])) ?? sourceId;
  const secret = secretOf(row, parts.key);
  if (!secret) {
    parts.findings.add('key_value_missing', subject, { name });
    return [];
  }
  reportRates(row, { ...parts, subject });
  const [first, ...others] = limitsOf(row, 'virtual_key_id', { ...parts, subject });
  if (others.length > 0) parts.findings.add('further_caps', subject, { name, count: others.length });
  const isActive = row['is_active'] === undefined || isTruth(row['is_active']);
  if (!isActive) parts.findings.add('key_blocked', subject, { name });
  const capPeriod = capPeriods.find((each) => each === first?.period);
  const models = modelsOf(row, parts);
  return [
    {
      sourceId,
      account: accountOf(row),
      name,
      secret,
      models,
      ...(first && { spendCap: first.amount }),
      ...(capPeriod && { capPeriod }),
      spent: first?.spent ?? 0n,
      status: isActive && models?.length !== 0 ? 'active' : 'revoked',
    },
  ];
}

function accountOf(row: Values): string {
  const [team, customer] = [textOf(row['team_id']), textOf(row['customer_id'])];
  if (team !== undefined) return `team:${team}`;
  return customer === undefined ? unassignedId : `customer:${customer}`;
}

/** The key itself, if it can be read; else its hash, with which clients can use it too. */
function secretOf(row: Values, key: EncryptionKey | undefined): PlannedSecret | undefined {
  const value = credentialIn(row, 'value', key);
  if (value instanceof Secret && !value.reveal().startsWith('${')) return { form: 'plain', value };
  const hash = textOf(row['value_hash']);
  return hash !== undefined && /^[0-9a-f]{64}$/.test(hash) ? { form: 'sha256', digest: new Secret(hash) } : undefined;
}

/** Patterns for the models that a virtual key may use. `undefined`: all. */
function modelsOf(row: Values, { source, catalog, findings }: PlanParts): readonly string[] | undefined {
  const id = textOf(row['id']) ?? '';
  const name = shownName(textOf(row['name'])) ?? id;
  const subject = { kind: 'key', sourceId: id } as const;
  const configs = source.providerConfigs.filter((config) => textOf(config['virtual_key_id']) === id);
  if (configs.length === 0) {
    if (!source.deniesByDefault) return undefined;
    findings.add('key_without_models', subject, { name });
    return [];
  }
  const all = new Set(source.providers.map((provider) => textOf(provider['name'])));
  const lists = configs.map((config) => {
    const allowed = textsOf(config['allowed_models']);
    const isAll = allowed.includes('*') || (allowed.length === 0 && !source.deniesByDefault);
    return { provider: textOf(config['provider']) ?? '', allowed: isAll ? ['*'] : allowed };
  });
  if (lists.length === all.size && lists.every(({ allowed }) => allowed.includes('*'))) return undefined;
  const patterns = new Set(lists.flatMap(({ provider, allowed }) => allowed.map((model) => `${provider}/${model}`)));
  for (const [model, providers] of catalog.shared) {
    const serving = providers.filter(
      (provider) => patterns.has(`${provider}/${model}`) || patterns.has(`${provider}/*`),
    );
    if (serving.length === providers.length) patterns.add(model);
    else if (serving.length > 0)
      findings.add('shared_model_left_out', subject, { name, model, providers: serving.join(', ') });
  }
  if (patterns.size === 0) findings.add('key_without_models', subject, { name });
  return [...patterns].sort();
}
