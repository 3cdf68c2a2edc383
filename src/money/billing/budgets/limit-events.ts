import { type Limit, type LimitScope, limitsFrom } from '../../../core/limit.ts';
import { decimalText, type Nano, scaled } from '../../../core/money.ts';
import type { OutboxEvent } from '../../../core/outbox-event.ts';
import { calendarSpans, zoneOf } from '../../../core/time/cap-period.ts';
import type { Row } from '../../../platform/store/job.ts';
import { selection } from '../../../platform/store/row-statements.ts';
import { eventIdOf } from '../../../platform/outbox/record-event.ts';
import { allTime } from './budget.ts';
import type { SubjectSpend } from './budget-spend.ts';

/** The limits of a member, an account or an organisation. */
export const limitsOfSubject = selection(
  'limits of a subject',
  `select accounts.id as account_id, accounts.limits, accounts.time_zone, accounts.kept_spans,
    coalesce(accounts.display_name, accounts.name) as name
  from accounts where 'account' in @scopes and accounts.id in @subjects
  union all
  select accounts.id, console_members.limits, accounts.time_zone, accounts.kept_spans, console_users.name
  from console_members join accounts on accounts.id = console_members.account_id
  join console_users on console_users.id = console_members.user_id
  where 'member' in @scopes and console_members.account_id in @accounts
    and console_members.account_id || ' ' || console_members.user_id in @subjects
  union all
  select cast(null as text), organisations.limits, organisations.time_zone, organisations.kept_spans,
    coalesce(organisations.display_name, organisations.name)
  from organisations where 'organisation' in @scopes and organisations.id in @subjects`,
);

interface SpendStep extends Omit<SubjectSpend, 'spent'> {
  readonly before: Nano;
  readonly spent: Nano;
  /** Columns of `limitsOfSubject`. */
  readonly terms: Row;
}

/**
 * Returns an event for each share of a limit that the spend has reached. Call it inside the transaction that changes
 * the spend, under its lock. The id of an event follows from its limit, span and share, so none is recorded twice.
 */
export function thresholdEvents(step: SpendStep, at: number): readonly OutboxEvent[] {
  const { before, spent, terms } = step;
  if (terms['limits'] === null) return [];
  return limitsFrom(String(terms['limits'])).flatMap((limit) => {
    const shares = limit.notifyAt.filter((share) => {
      const threshold = partOf(limit.amount, share);
      return before < threshold && threshold <= spent;
    });
    return shares.length > 0 && isOfSpan(limit, step) ? shares.map((share) => eventOf(step, limit, share, at)) : [];
  });
}

const sharePlaces = 9;

function partOf(amount: Nano, share: string): Nano {
  return (amount * scaled(share, sharePlaces)) / 10n ** BigInt(sharePlaces);
}

function isOfSpan({ period }: Limit, { since, until, terms }: SpendStep): boolean {
  const [timeZone = null, keptSpans = null] = [terms['time_zone'], terms['kept_spans']] as (string | null)[];
  const span = period === 'total' ? allTime : calendarSpans()({ period, ...zoneOf(timeZone, keptSpans) }, since);
  return span.since === since && span.until === until;
}

function eventOf(step: SpendStep, { amount, period }: Limit, share: string, at: number): OutboxEvent {
  const { scope, subjectId, since, until, spent, terms } = step;
  const id = eventIdOf(scope, subjectId, since, until, String(amount), share);
  const data = {
    ...scopeData(scope, subjectId),
    name: String(terms['name']),
    limit: decimalText(amount),
    period,
    share,
    percent: percentText(share),
    spent: decimalText(spent),
    resets_at: period === 'total' ? null : new Date(until).toISOString(),
  };
  return { id, kind: 'limit.threshold', accountId: accountOf(scope, String(terms['account_id'])), at, data };
}

/** An event about a limit of an organisation concerns all its accounts. */
export function scopeData(scope: LimitScope, subjectId: string): Readonly<Record<string, string>> {
  return { scope, ...(scope === 'organisation' && { organisation_id: subjectId }) };
}

export function accountOf(scope: LimitScope, accountId: string): string | undefined {
  return scope === 'organisation' ? undefined : accountId;
}

/** Such as `80` for 0.8. */
function percentText(share: string): string {
  return decimalText(scaled(share, sharePlaces) * 100n).replace(/\.?0+$/, '');
}
