import { decimalText, type Nano } from '../../core/money.ts';
import { type CapPeriod, calendarSpans, capPeriods } from '../../core/time/cap-period.ts';
import { defaultTimeZone } from '../../core/time/calendar-day.ts';
import type { FindingList, FindingSubject } from 'chat-gateway-import/findings.ts';
import type { ImportPlan, PlannedKey, PlannedLimit } from 'chat-gateway-import/plan.ts';

/** What a key has spent since the beginning of the current periods that a limit or its own cap needs. */
export type SpendByPeriod = ReadonlyMap<CapPeriod, Nano>;

/** Current periods that began at the same time. */
export interface CurrentSpan {
  readonly periods: readonly CapPeriod[];
  readonly since: number;
  /** A time in it that is, if possible, in no shorter one. */
  readonly at: number;
}

/** From the shortest to the longest. A week can be longer than the month so far. */
export function currentSpans(now: number, timeZone = defaultTimeZone): readonly CurrentSpan[] {
  const spanOf = calendarSpans();
  const bySince = Map.groupBy(capPeriods, (period) => spanOf({ period, timeZone }, now).since);
  const ordered = [...bySince].toSorted(([one], [other]) => other - one);
  return ordered.map(([since, periods], index) => ({ periods, since, at: (ordered[index - 1]?.[0] ?? now + 1) - 1 }));
}

interface SpendParts {
  readonly plan: ImportPlan;
  /** The keys that are booked, by the source id of their account. */
  readonly keysOf: ReadonlyMap<string, readonly PlannedKey[]>;
  readonly findings: FindingList;
  readonly now: number;
}

/**
 * Says which part of the spend of each key lies in the current periods, so that the limits of members, accounts and
 * organisations count what the source has. The sum of a key stays the same. Spend of a member that no key has is
 * reported.
 */
export function spendInPeriods({ plan, keysOf, findings, now }: SpendParts): ReadonlyMap<string, SpendByPeriod> {
  const groups = limitedGroups(plan, keysOf, findings);
  const groupsOf = Map.groupBy(
    groups.flatMap((group) => group.keys.map((key) => ({ key, group }))),
    ({ key }) => key,
  );
  const all = [...keysOf.values()].flat().map((key) => {
    return new KeySpend(key, groupsOf.get(key)?.map(({ group }) => group) ?? []);
  });
  const byKey = new Map(all.map((spend) => [spend.key, spend]));
  // A product has one time zone for all budgets.
  const spans = currentSpans(now, plan.accounts[0]?.timeZone);
  for (const [index, { periods }] of spans.entries()) {
    for (const spend of all) spend.enter(periods);
    const later = spans.slice(index).map((span) => span.periods);
    for (const group of groups) group.divide(byKey, later);
    for (const spend of all) spend.note(periods);
  }
  return new Map(all.map(({ key, parts }) => [key.sourceId, parts]));
}

/** A member, an account or an organisation with limits, and the keys that count for it. */
class LimitedGroup {
  readonly limits: readonly PlannedLimit[];
  readonly keys: readonly PlannedKey[];
  readonly #filled: (limit: PlannedLimit, group: LimitedGroup) => void;
  /** Its spend in the current span, as far as it is placed. */
  taken = 0n;

  constructor(
    limits: readonly PlannedLimit[],
    keys: readonly PlannedKey[],
    filled: (limit: PlannedLimit, group: LimitedGroup) => void = () => {},
  ) {
    this.limits = limits;
    this.keys = keys;
    this.#filled = filled;
  }

  /** What its keys may still take without exceeding its spend in any of these spans. */
  room(spans: readonly (readonly CapPeriod[])[]): Nano | undefined {
    const rests = spans
      .flatMap((periods) => limitIn(this.limits, periods) ?? [])
      .map((limit) => limit.spent - this.taken);
    return rests.length === 0 ? undefined : rests.reduce(smaller);
  }

  /** Divides its spend in the first of the spans between its keys. */
  divide(byKey: ReadonlyMap<PlannedKey, KeySpend>, spans: readonly (readonly CapPeriod[])[]): void {
    const limit = limitIn(this.limits, spans[0] ?? []);
    if (!limit) return;
    for (const key of this.keys) {
      if (this.taken >= limit.spent) break;
      byKey.get(key)?.take(limit.spent - this.taken, spans, this);
    }
    this.#filled(limit, this);
  }
}

/** The spend of a key in the current spans. */
class KeySpend {
  readonly key: PlannedKey;
  readonly parts = new Map<CapPeriod, Nano>();
  readonly #groups: readonly LimitedGroup[];
  #taken = 0n;
  /** Whether its own period has begun after the current span. */
  #isOver = false;

  constructor(key: PlannedKey, groups: readonly LimitedGroup[]) {
    this.key = key;
    this.#groups = groups;
  }

  /** The spend of a key with a period lies in this period, unless the source has more of it. */
  enter(periods: readonly CapPeriod[]): void {
    const { capPeriod, spent, spentInPeriod = spent } = this.key;
    if (capPeriod === undefined || !periods.includes(capPeriod)) return;
    if (spentInPeriod > this.#taken) this.#add(spentInPeriod - this.#taken);
  }

  /** At most what the group and the smaller groups of the key have left in these spans. */
  take(wanted: Nano, spans: readonly (readonly CapPeriod[])[], group: LimitedGroup): void {
    const upTo = this.#groups.indexOf(group) + 1;
    const rooms = this.#groups.slice(0, upTo).flatMap((each) => each.room(spans) ?? []);
    const amount = [this.key.spent - this.#taken, ...rooms].reduce(smaller, wanted);
    if (amount > 0n) this.#add(amount);
  }

  note(periods: readonly CapPeriod[]): void {
    const { capPeriod, spentInPeriod } = this.key;
    const isOwn = capPeriod !== undefined && periods.includes(capPeriod);
    const isCounted = isOwn || this.#groups.some(({ limits }) => limitIn(limits, periods));
    if (isCounted && !this.#isOver) for (const period of periods) this.parts.set(period, this.#taken);
    this.#isOver ||= isOwn && spentInPeriod === undefined;
  }

  #add(amount: Nano): void {
    this.#taken += amount;
    for (const group of this.#groups) group.taken += amount;
  }
}

/** Members before accounts, accounts before organisations: a smaller group has less choice. */
function limitedGroups(plan: ImportPlan, keysOf: SpendParts['keysOf'], findings: FindingList): readonly LimitedGroup[] {
  const ofOrganisations = new Map(
    plan.organisations.map(({ sourceId, limits }) => {
      const own = plan.accounts.filter(({ organisation }) => organisation === sourceId);
      return [
        sourceId,
        new LimitedGroup(
          limits,
          own.flatMap((each) => keysOf.get(each.sourceId) ?? []),
        ),
      ] as const;
    }),
  );
  const ofAccounts = plan.accounts.map(({ sourceId, limits, organisation = '' }) => {
    // Spend that no key has is booked for the account, and counts for its organisation.
    return new LimitedGroup(limits, keysOf.get(sourceId) ?? [], ({ spent }, group) => {
      const rest = spent - group.taken;
      if (rest > 0n) for (const each of [group, ofOrganisations.get(organisation)]) if (each) each.taken += rest;
    });
  });
  const members = memberGroups(plan, keysOf, findings);
  return [...members, ...ofAccounts, ...ofOrganisations.values()].filter(({ limits }) => limits.length > 0);
}

/** Spend of a member that no key has is reported: it cannot be booked. */
function memberGroups(
  { accounts, users }: ImportPlan,
  keysOf: SpendParts['keysOf'],
  findings: FindingList,
): readonly LimitedGroup[] {
  const names = new Map(accounts.map(({ sourceId, name }) => [sourceId, name]));
  return users.flatMap(({ sourceId, memberships }) =>
    memberships.flatMap(({ account, limits }) => {
      if (limits.length === 0) return [];
      const own = (keysOf.get(account) ?? []).filter((key) => key.account === account && key.member === sourceId);
      const parts = { subject: { kind: 'user', sourceId }, name: names.get(account) ?? '', findings } as const;
      const total = limits.find(({ period }) => period === 'total');
      const ofKeys = own.reduce((sum, { spent }) => sum + spent, 0n);
      if (total) reportMissing(total, ofKeys, parts);
      return new LimitedGroup(limits, own, (limit, { taken }) => {
        reportMore(limit, taken, parts.subject, findings);
        reportMissing(limit, taken, parts);
      });
    }),
  );
}

/** The limit of these periods with the most spend. */
export function limitIn(limits: readonly PlannedLimit[], periods: readonly CapPeriod[]): PlannedLimit | undefined {
  return limits
    .filter(({ period }) => periods.some((each) => each === period))
    .reduce<PlannedLimit | undefined>((most, each) => (most && most.spent >= each.spent ? most : each), undefined);
}

interface ReportParts {
  readonly subject: FindingSubject;
  /** The account or the organisation of the limit. */
  readonly name: string;
  readonly findings: FindingList;
}

/** Reports spend of a limit that nothing is booked for. */
export function reportMissing(limit: PlannedLimit, booked: Nano, { subject, name, findings }: ReportParts): void {
  if (booked >= limit.spent) return;
  findings.add('spend_not_booked', subject, {
    name,
    missing: decimalText(limit.spent - booked),
    spent: decimalText(limit.spent),
    limit: decimalText(limit.amount),
    period: limit.period,
  });
}

/** Reports spend of keys that the limit in the source does not count. */
export function reportMore(
  { period, spent }: PlannedLimit,
  booked: Nano,
  subject: FindingSubject,
  findings: FindingList,
): void {
  if (booked > spent) findings.add('keys_spent_more', subject, { period, more: decimalText(booked - spent) });
}

function smaller(one: Nano, other: Nano): Nano {
  return one < other ? one : other;
}
