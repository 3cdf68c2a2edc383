import { FindingList } from '../findings.ts';
import type { ImportInput } from '../importer.ts';
import { itemNames, shownName } from '../item-name.ts';
import { reportLost } from '../lost-rows.ts';
import { ModelPackages } from '../model-packages.ts';
import type { ImportPlan, PlannedAccount, PlannedKey, PlannedOrganisation, PlannedSecret } from '../plan.ts';
import { Secret } from '../secret.ts';
import { isTrue, timeOf } from '../table-reader.ts';
import { textOf, type Values } from '../values.ts';
import { type BudgetLimits, limitsOf } from './budgets.ts';
import { credentialIn } from './credentials.ts';
import { EncryptionKey } from './decrypt.ts';
import { keyModels } from './key-models.ts';
import { type KeyScope, limitsOfKey, scopeOf } from './key-limits.ts';
import { type BifrostModels, planModels } from './models.ts';
import { planProviders } from './providers.ts';
import { type BifrostSource, readBifrost } from './source.ts';

const unassignedId = 'unassigned';
const timeZone = 'UTC';

/** Plans the import of Bifrost from its configuration store. */
export async function importBifrost(input: ImportInput): Promise<ImportPlan> {
  const source = await readBifrost(input);
  const findings = new FindingList();
  const key = input.saltKey && new EncryptionKey(input.saltKey);
  const { upstreams, groups } = planProviders({ source, key, named: itemNames(), findings });
  const catalog = planModels(source, groups, findings);
  const parts: PlanParts = { source, findings, now: input.now, key, catalog, owners: new Map() };
  reportSource(source, findings);
  for (const row of source.customers) planLimits('customer', row, parts);
  for (const row of source.teams) planLimits('team', row, parts);
  const keys = source.virtualKeys.flatMap((row) => keyOf(row, parts));
  const packages = new ModelPackages('bifrost', itemNames());
  const accounts = planAccounts(keys, packages, parts);
  return {
    organisations: planOrganisations(parts),
    accounts,
    users: [],
    keys,
    packages: packages.all,
    upstreams,
    models: catalog.models,
    findings: findings.all,
  };
}

interface PlanParts {
  readonly source: BifrostSource;
  readonly findings: FindingList;
  readonly now: number;
  readonly key: EncryptionKey | undefined;
  readonly catalog: BifrostModels;
  /** Limits of customers and teams, by `ownerKey`. */
  readonly owners: Map<string, BudgetLimits>;
}

function reportSource({ lost, unknown, unread, requiredHeaders }: BifrostSource, findings: FindingList): void {
  reportLost(lost, findings);
  for (const name of unread) findings.add('file_not_read', { kind: 'setting', sourceId: name }, { name });
  const names = unknown.map(({ table, column }) => (column === undefined ? table : `${table}.${column}`));
  for (const [name, { length: rows }] of Map.groupBy(names, (each) => each))
    findings.add('unknown_values', { kind: 'table', sourceId: name }, { name, rows });
  if (requiredHeaders.length > 0) {
    const what = `the request headers that Bifrost requires: ${requiredHeaders.join(', ')}`;
    findings.add('setting_not_taken', { kind: 'setting', sourceId: 'required_headers' }, { what });
  }
}

type OwnerKind = 'customer' | 'team';

function ownerKey(kind: OwnerKind, row: Values): string {
  return `${kind}:${textOf(row['id']) ?? ''}`;
}

function planLimits(kind: OwnerKind, row: Values, { source, findings, now, owners }: PlanParts): void {
  const id = textOf(row['id']) ?? '';
  const budgets = source.budgets.filter((budget) => textOf(budget[`${kind}_id`]) === id);
  const subject =
    kind === 'customer'
      ? ({ kind: 'organisation', sourceId: id } as const)
      : ({ kind: 'account', sourceId: ownerKey(kind, row) } as const);
  owners.set(
    ownerKey(kind, row),
    limitsOf(budgets, isTrue(row['calendar_aligned']), { subject, findings, now, target: source.target }),
  );
}

function planOrganisations({ source, owners }: PlanParts): readonly PlannedOrganisation[] {
  const named = itemNames();
  return source.customers.map((row) => {
    const sourceId = textOf(row['id']) ?? '';
    const displayName = textOf(row['name']);
    return {
      sourceId,
      name: named(displayName, sourceId),
      displayName: shownName(displayName),
      limits: owners.get(ownerKey('customer', row))?.limits ?? [],
      restAccount: ownerKey('customer', row),
      timeZone,
    };
  });
}

/**
 * One account for each team, for each customer with keys or budgets of its own, and one for all other keys. The account
 * of a customer has no limit, so it can take the spend of the customer's budgets that no team has.
 */
function planAccounts(
  keys: readonly PlannedKey[],
  packages: ModelPackages,
  { source, findings, owners }: PlanParts,
): readonly PlannedAccount[] {
  const named = itemNames();
  const used = new Set(keys.map(({ account }) => account));
  const account = (sourceId: string, label: string, rest: Partial<PlannedAccount>): PlannedAccount => {
    const name = named(label, sourceId);
    return {
      sourceId,
      name,
      displayName: shownName(label),
      packageName: packages.of(undefined, name),
      billing: 'postpaid',
      status: 'active',
      limits: [],
      timeZone,
      balance: 0n,
      ...rest,
    };
  };
  const customerIds = new Set(source.customers.map((row) => textOf(row['id'])));
  const teams = source.teams.map((row) => {
    const sourceId = ownerKey('team', row);
    const organisation = textOf(row['customer_id']);
    const isGone = organisation !== undefined && !customerIds.has(organisation);
    if (isGone) findings.add('organisation_gone', { kind: 'account', sourceId }, { organisation });
    const limits = owners.get(sourceId)?.limits ?? [];
    return account(sourceId, textOf(row['name']) ?? '', { limits, ...(!isGone && { organisation }) });
  });
  const customers = source.customers.flatMap((row) => {
    const sourceId = ownerKey('customer', row);
    const isNeeded = used.has(sourceId) || (owners.get(sourceId)?.limits ?? []).length > 0;
    return isNeeded ? [account(sourceId, textOf(row['name']) ?? '', { organisation: textOf(row['id']) })] : [];
  });
  return [...teams, ...customers, ...(used.has(unassignedId) ? [account(unassignedId, 'bifrost', {})] : [])];
}

function keyOf(row: Values, parts: PlanParts): readonly PlannedKey[] {
  const { source, findings, now } = parts;
  const scope = scopeOf(row, source);
  const subject = { kind: 'key', sourceId: scope.id } as const;
  const name = shownName(textOf(row['name'])) ?? scope.id;
  const secret = secretOf(row, parts.key);
  if (!secret) {
    findings.add('key_value_missing', subject, { name });
    return [];
  }
  const models = keyModels(scope, name, parts);
  const { budgets, others } = limitsOfKey(scope, models, source);
  const own = Map.groupBy(budgets, ({ isAligned }) => isAligned);
  const planned = [...own].map(([isAligned, some]) =>
    limitsOf(
      some.map(({ budget }) => budget),
      isAligned,
      { subject, findings, now, target: source.target },
    ),
  );
  const [first, ...further] = planned.flatMap(({ limits }) => limits);
  const expiresAt = timeOf(textOf(row['expires_at']));
  const isUnclear = expiresAt === undefined && textOf(row['expires_at']) !== undefined;
  const unfit = [
    ...others,
    ...[...planned, ...ownersOf(scope, parts)].flatMap(({ problems }) => problems.map((text) => `the budget ${text}`)),
    ...further.map(({ period }) => `a further budget for the period ${period}`),
    ...(isUnclear ? ['an expiry that is no time'] : []),
    ...overriddenPrices(scope, first !== undefined, parts),
  ];
  if (unfit.length > 0) findings.add('key_limits_lost', subject, { name, limits: unfit.join(', ') });
  const isActive = row['is_active'] === undefined || isTrue(row['is_active']);
  if (!isActive) findings.add('key_blocked', subject, { name });
  if (models?.length === 0) findings.add('key_without_models', subject, { name });
  const capPeriod = first?.period === 'total' ? undefined : first?.period;
  return [
    {
      sourceId: scope.id,
      account: accountOf(scope),
      name,
      secret,
      models,
      ...(first && { spendCap: first.amount }),
      ...(capPeriod && { capPeriod }),
      spent: first?.spent ?? 0n,
      ...(expiresAt !== undefined && { expiresAt }),
      status: isActive && models?.length !== 0 && unfit.length === 0 ? 'active' : 'revoked',
    },
  ];
}

function ownersOf({ team, customers }: KeyScope, { owners }: PlanParts): readonly BudgetLimits[] {
  const keys = [...(team ? [ownerKey('team', team)] : []), ...customers.map((row) => ownerKey('customer', row))];
  return keys.flatMap((each) => owners.get(each) ?? []);
}

/** A limit in money allows more if requests cost less here. */
function overriddenPrices(scope: KeyScope, hasCap: boolean, parts: PlanParts): readonly string[] {
  if (!hasCap && ownersOf(scope, parts).every(({ limits }) => limits.length === 0)) return [];
  const own = parts.source.priceOverrides.filter((row) => {
    const [ofKey, provider] = [textOf(row['virtual_key_id']), textOf(row['provider_id'])];
    return (ofKey ?? scope.id) === scope.id && (provider === undefined || scope.providers.has(provider));
  });
  return own.map((row) => `budgets at the prices of ${textOf(row['name']) ?? ''}`);
}

function accountOf({ row, team }: KeyScope): string {
  if (team) return ownerKey('team', team);
  const customer = textOf(row['customer_id']);
  return customer === undefined ? unassignedId : `customer:${customer}`;
}

/** The key itself, if it can be read; else its hash, with which clients can use it too. */
function secretOf(row: Values, key: EncryptionKey | undefined): PlannedSecret | undefined {
  const value = credentialIn(row, 'value', key);
  if (value instanceof Secret && !value.reveal().startsWith('${')) return { form: 'plain', value };
  const hash = textOf(row['value_hash']);
  return hash !== undefined && /^[0-9a-f]{64}$/.test(hash) ? { form: 'sha256', digest: new Secret(hash) } : undefined;
}
