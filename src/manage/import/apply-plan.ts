import { importLock } from '../../money/accounts/import-key.ts';
import { joined } from '../../platform/store/joined.ts';
import { type Finding, FindingList, type ItemKind } from 'chat-gateway-import/findings.ts';
import type { ImportPlan } from 'chat-gateway-import/plan.ts';
import type { AppliedItems, Outcome } from './apply-items.ts';
import { applyCatalog } from './catalog-items.ts';
import type { ApplyContext, ApplyParts } from './context.ts';
import { applyKeys } from './key-items.ts';
import { bookOpenings, type OpeningSums } from './openings.ts';
import { applyAccounts, applyOrganisations, applyUsers } from './owner-items.ts';
import { Provenance } from './provenance.ts';
import { assertSum } from './sums.ts';

export interface ImportResult {
  readonly outcomes: Readonly<Record<ItemKind, ReadonlyMap<string, Outcome>>>;
  readonly sums: OpeningSums;
  /** Findings of the plan, and those that only this gateway has. */
  readonly findings: readonly Finding[];
  /** The ids of keys here, by source id. */
  readonly keys: ReadonlyMap<string, string>;
}

/** Ends the transaction of a trial. */
class RolledBack extends Error {
  readonly result: ImportResult;

  constructor(result: ImportResult) {
    super('the trial was rolled back');
    this.result = result;
  }
}

/** Applies a plan in one transaction: all of it or nothing. A second time it changes only what the source changed. */
export function applyPlan(plan: ImportPlan, parts: ApplyParts): Promise<ImportResult> {
  return parts.store.transaction((tx) => apply(plan, { ...parts, store: joined(parts.store, tx) }, tx), importLock);
}

/** Does the same and rolls it back, so that the result shows exactly what `applyPlan` would do. */
export async function tryPlan(plan: ImportPlan, parts: ApplyParts): Promise<ImportResult> {
  try {
    return await parts.store.transaction(async (tx): Promise<ImportResult> => {
      throw new RolledBack(await apply(plan, { ...parts, store: joined(parts.store, tx) }, tx));
    }, importLock);
  } catch (error) {
    if (error instanceof RolledBack) return error.result;
    throw error;
  }
}

async function apply(plan: ImportPlan, parts: ApplyParts, tx: Parameters<typeof joined>[1]): Promise<ImportResult> {
  const provenance = new Provenance(tx, { source: parts.source, now: parts.clock.now() });
  await provenance.read(parts);
  const findings = new FindingList();
  const context: ApplyContext = { ...parts, plan, provenance, findings };
  const { packageNames, ...catalog } = await applyCatalog(context);
  const organisations = await applyOrganisations(context);
  const accounts = await applyAccounts(context, { organisations: organisations.subjects, packageNames });
  const users = await applyUsers(context, { organisations: organisations.subjects, accounts: accounts.subjects });
  const keys = await applyKeys(context, tx, { accounts: accounts.subjects, users: users.subjects });
  const sums = await bookOpenings(context, tx, {
    organisations: organisations.subjects,
    accounts: accounts.subjects,
    keys: keys.subjects,
  });
  assertSum('balances', sums.balances);
  assertSum('spend', sums.spend);
  const outcomes = outcomesOf({
    package: catalog.packages,
    upstream: catalog.upstreams,
    model: catalog.models,
    organisation: organisations,
    account: accounts,
    user: users,
    key: keys,
  });
  return { outcomes, sums, findings: [...plan.findings, ...findings.all], keys: keys.subjects };
}

function outcomesOf(applied: Readonly<Record<ItemKind, AppliedItems>>): ImportResult['outcomes'] {
  const entries = Object.entries(applied).map(([kind, { outcomes }]) => [kind, outcomes] as const);
  return Object.fromEntries(entries) as ImportResult['outcomes'];
}
