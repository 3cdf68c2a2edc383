import { decimalText } from 'chat-gateway-figures/money.ts';
import type { FindingList } from '../findings.ts';
import type { Row } from '../table-reader.ts';
import type { QuotaReader } from './quota.ts';
import { type OneApiSource, wholeOf } from './source.ts';

type SubscriptionSource = Pick<OneApiSource, 'subscriptions' | 'plans' | 'now'>;

interface SubscriptionParts {
  readonly source: SubscriptionSource;
  readonly money: QuotaReader;
  readonly findings: FindingList;
}

/** What remains of the active subscriptions of a user. Each is a finding: credit has no end here, and does not renew. */
export function subscriptionBalance(user: Row, { source, money, findings }: SubscriptionParts): bigint {
  const subject = { kind: 'account', sourceId: user['id'] ?? '' } as const;
  const amounts = subscriptionsOf(user, source)
    .filter((row) => isActive(row, source.now))
    .map((row) => {
      const plan = source.plans.find(({ id }) => id === row['plan_id']);
      const name = plan?.['title'] || `plan ${row['plan_id'] ?? ''}`;
      const until = timeText(row['end_time']);
      reportGroup(user, row, { name, until, findings });
      const total = wholeOf(row['amount_total']);
      if (total <= 0n) {
        findings.add('subscription_unlimited', subject, { name, until });
        return 0n;
      }
      const next = Number(wholeOf(row['next_reset_time'])) * 1000;
      const used = next > 0 && next <= source.now ? 0n : wholeOf(row['amount_used']);
      const rest = money(String(used < total ? total - used : 0n), 'amount_total', subject);
      findings.add('subscription_credited', subject, { name, amount: decimalText(rest), until });
      const period = plan?.['quota_reset_period'] || 'never';
      if (next > 0 && period !== 'never') {
        const amount = decimalText(money(String(total), 'amount_total', subject));
        findings.add('subscription_renews', subject, { name, amount, period, until });
      }
      return rest;
    });
  return amounts.reduce((sum, amount) => sum + amount, 0n);
}

/** A user keeps the group of a subscription until it ends: the group is the package of the account. */
function reportGroup(
  user: Row,
  row: Row,
  { name, until, findings }: { readonly name: string; readonly until: string; readonly findings: FindingList },
): void {
  const group = user['group'] ?? '';
  const after = groupAfter(user, row);
  if (after !== group)
    findings.add('subscription_group', { kind: 'account', sourceId: user['id'] ?? '' }, { name, group, until, after });
}

/** new-api changes the group back in a task of its own. It may not have run since the end. */
export function withoutEndedUpgrades(user: Row, source: SubscriptionSource): Row {
  const own = subscriptionsOf(user, source);
  if (own.some((row) => isActive(row, source.now) && row['upgrade_group'])) return user;
  const ended = own.find((row) => row['status'] === 'active' && !isActive(row, source.now));
  return ended ? { ...user, group: groupAfter(user, ended) } : user;
}

function groupAfter(user: Row, row: Row): string {
  const group = user['group'] ?? '';
  const previous = group === row['upgrade_group'] ? row['prev_user_group'] : undefined;
  return row['downgrade_group'] || previous || group;
}

function subscriptionsOf(user: Row, { subscriptions }: SubscriptionSource): readonly Row[] {
  return subscriptions.filter((row) => row['user_id'] === user['id']);
}

function isActive(row: Row, now: number): boolean {
  return row['status'] === 'active' && Number(wholeOf(row['end_time'])) * 1000 > now;
}

function timeText(seconds: string | null | undefined): string {
  return new Date(Math.min(Number(wholeOf(seconds)) * 1000, 253_402_300_799_000)).toISOString();
}
