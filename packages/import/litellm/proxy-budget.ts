import type { PlannedAccount, PlannedOrganisation } from '../plan.ts';
import { timeOf } from '../table-reader.ts';
import { recordOf, textOf } from '../values.ts';
import { limitsOf } from './budgets.ts';
import { rowOf } from './lost-limits.ts';
import type { OwnerParts } from './teams.ts';

/** The row of `LiteLLM_UserTable` with the spend of the whole proxy. */
export const proxyBudgetUser = 'litellm-proxy-budget';

interface Owners {
  readonly organisations: readonly PlannedOrganisation[];
  readonly accounts: readonly PlannedAccount[];
}

/**
 * The budget of the whole proxy becomes that of an organisation of all accounts without one. An account has one
 * organisation, so the budget cannot hold for the accounts of others: these arrive suspended.
 */
export function withProxyBudget({ organisations, accounts }: Owners, parts: OwnerParts): Owners {
  const { max_budget: max, budget_duration: duration } = recordOf(parts.source.config['litellm_settings']);
  const amount = textOf(max);
  // LiteLLM takes 0 for no budget.
  if (amount === undefined || !(Number(amount) > 0)) return { organisations, accounts };
  const row = rowOf(parts.source.tables.users, 'user_id', proxyBudgetUser) ?? {};
  const subject = { kind: 'setting', sourceId: 'litellm_settings.max_budget' } as const;
  const resets = timeOf(row['budget_reset_at']);
  const budget = { max: amount, soft: undefined, duration: textOf(duration), resetAt: resets, windows: undefined };
  const name = parts.named('litellm-proxy', proxyBudgetUser);
  parts.findings.add('proxy_budget', subject, { amount, organisation: name });
  const organisation: PlannedOrganisation = {
    sourceId: proxyBudgetUser,
    name,
    limits: limitsOf(budget, row['spend'], { ...parts, subject }),
    timeZone: parts.timeZone,
  };
  return {
    organisations: [...organisations, organisation],
    accounts: accounts.map((account) => {
      if (account.organisation === undefined) return { ...account, organisation: proxyBudgetUser };
      const lost = { name: account.name, limits: `max_budget ${amount} of the whole proxy` };
      parts.findings.add('account_limits_lost', { kind: 'account', sourceId: account.sourceId }, lost);
      return { ...account, status: 'suspended' };
    }),
  };
}
