import type { SpendLimit } from '../../core/caller.ts';
import { type LimitScope, limitsFrom, memberSubject } from '../../core/limit.ts';
import { capPeriods, type RenewalZone, zoneOf } from '../../core/time/cap-period.ts';

/** The columns of a key, its member, account and organisation that limit its spend. */
export interface LimitColumns {
  readonly accountId: string;
  readonly firstId: string;
  readonly spendCap: string | null;
  readonly capPeriod: string | null;
  readonly timeZone: string | null;
  readonly keptSpans: string | null;
  readonly memberId: string | null;
  readonly memberLimits: string | null;
  readonly accountLimits: string | null;
  readonly organisationId: string | null;
  readonly organisationLimits: string | null;
  readonly organisationTimeZone: string | null;
  readonly organisationKeptSpans: string | null;
}

/** The limits of a key, in the order in which requests reserve from them. `undefined` if there are none. */
export function spendLimitsOf(stored: LimitColumns): readonly SpendLimit[] | undefined {
  const { accountId, memberId, organisationId } = stored;
  const zone = zoneOf(stored.timeZone, stored.keptSpans);
  const organisationZone = zoneOf(stored.organisationTimeZone, stored.organisationKeptSpans);
  const limits = [
    ...capOf(stored, zone),
    ...(memberId === null ? [] : listed(stored.memberLimits, 'member', memberSubject(accountId, memberId), zone)),
    ...listed(stored.accountLimits, 'account', accountId, zone),
    ...(organisationId === null
      ? []
      : listed(stored.organisationLimits, 'organisation', organisationId, organisationZone)),
  ];
  return limits.length === 0 ? undefined : limits;
}

function capOf({ spendCap, capPeriod, firstId }: LimitColumns, zone: RenewalZone): readonly SpendLimit[] {
  if (spendCap === null) return [];
  const period = capPeriods.find((each) => each === capPeriod);
  const renewal = period && { period, ...zone };
  return [{ scope: 'key', subjectId: firstId, amount: BigInt(spendCap), renewal }];
}

function listed(column: string | null, scope: LimitScope, subjectId: string, zone: RenewalZone): readonly SpendLimit[] {
  return limitsFrom(column).map(({ amount, period }) => {
    const renewal = period === 'total' ? undefined : { period, ...zone };
    return { scope, subjectId, amount, renewal };
  });
}
