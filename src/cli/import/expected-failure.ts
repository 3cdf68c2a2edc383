import { modelsNamed } from '../../money/catalog/model-pattern.ts';
import { decimalText } from '../../core/money.ts';
import type { ImportPlan, PlannedKey, PlannedLimit } from 'chat-gateway-import/plan.ts';

/** Why the gateway refuses a key, as far as the plan says it: a client only receives a general error. */
export function expectedFailure(key: PlannedKey, plan: ImportPlan, now: number): string | undefined {
  const account = plan.accounts.find(({ sourceId }) => sourceId === key.account);
  if (key.status === 'revoked')
    return 'it is off in the source or has a limit that is not taken, so it is created revoked';
  if (key.expiresAt !== undefined && key.expiresAt <= now)
    return `it expired at ${new Date(key.expiresAt).toISOString()}`;
  if (account?.status === 'suspended')
    return `its account ${account.name} is off in the source or has a limit that is not taken, so it is created suspended`;
  const { spentInPeriod: spent = key.spent } = key;
  if (key.spendCap !== undefined && spent >= key.spendCap)
    return `its budget is reached: ${decimalText(spent)} of ${decimalText(key.spendCap)} (${key.capPeriod ?? 'total'})`;
  const member = plan.users.find(({ sourceId }) => sourceId === key.member);
  const membership = member?.memberships.find((each) => each.account === key.account);
  const reached =
    limitFailure(member?.email ?? '', membership?.limits ?? []) ??
    limitFailure(account?.name ?? '', account?.limits ?? []);
  if (reached !== undefined) return reached;
  if (account?.billing === 'prepaid' && account.balance <= 0n)
    return `the balance of ${account.name} is ${decimalText(account.balance)}`;
  return modelFailure(key, plan);
}

function limitFailure(name: string, limits: readonly PlannedLimit[]): string | undefined {
  const reached = limits.find(({ amount, spent }) => spent >= amount);
  if (!reached) return undefined;
  const { spent, amount, period } = reached;
  return `the limit of ${name} is reached: ${decimalText(spent)} of ${decimalText(amount)} (${period})`;
}

/** The key is offered no model: those that it names are missing, or only disabled upstreams serve them. */
function modelFailure(key: PlannedKey, plan: ImportPlan): string | undefined {
  const account = plan.accounts.find(({ sourceId }) => sourceId === key.account);
  const allowed = plan.packages.find(({ spec }) => spec.name === account?.packageName)?.spec.models ?? [];
  const disabled = new Set(plan.upstreams.filter(({ spec }) => spec.enabled === false).map(({ spec }) => spec.name));
  const models = plan.models.map(({ spec }) => ({ id: spec.id, aliases: spec.aliases ?? [] }));
  const [ofAccount, ofKey] = [modelsNamed(allowed, models), modelsNamed(key.models ?? ['*'], models)];
  const own = plan.models.filter(({ spec }) => ofAccount.has(spec.id) && ofKey.has(spec.id));
  if (own.length === 0) return `no imported model matches ${(key.models ?? allowed).join(', ') || 'its empty list'}`;
  const isServed = own.some(({ spec }) => spec.routes.some(({ upstream }) => !disabled.has(upstream)));
  if (isServed) return undefined;
  const upstreams = own.flatMap(({ spec }) => spec.routes.map(({ upstream }) => upstream));
  return `its models are served only by disabled upstreams: ${[...new Set(upstreams)].join(', ')}`;
}
