import { unitsText } from 'chat-gateway-figures/money.ts';
import { nanoOf } from './decimal-text.ts';
import type { FindingList, FindingSubject } from './findings.ts';
import type { PlannedLimit, PlannedPeriod } from './plan.ts';

/** The largest amount of an entry, a limit or a cap. */
export const amountMax = 999_999_999_000_000_000n;

export function moneyText(amount: bigint): string {
  return unitsText(amount, 9);
}

export interface AmountParts {
  readonly subject: FindingSubject;
  readonly findings: FindingList;
}

/** An amount of the source in nano-units. */
export function moneyOf(
  field: string,
  text: string | undefined,
  { subject, findings }: AmountParts,
): bigint | undefined {
  if (text === undefined) return undefined;
  const amount = nanoOf(text);
  if (!amount || amount.value < 0n) {
    findings.add('amount_unreadable', subject, { field, amount: text });
    return undefined;
  }
  if (amount.value > amountMax) {
    findings.add('amount_too_large', subject, { field, amount: text, used: moneyText(amountMax) });
    return amountMax;
  }
  if (!amount.isExact) {
    findings.add('amount_rounded', subject, { field, amount: text, rounded: moneyText(amount.value) });
  }
  return amount.value;
}

/** A period that the gateway does not have becomes the next longer one, so that the limit is never looser. */
export function lengthenedPeriod(duration: string, hours: number, { subject, findings }: AmountParts): PlannedPeriod {
  const period = hours <= 24 ? 'day' : hours <= 168 ? 'week' : hours <= 744 ? 'month' : 'total';
  findings.add('period_lengthened', subject, { duration, period });
  return period;
}

/** The smallest limit of each period. */
export function oneOfEach(limits: readonly PlannedLimit[]): readonly PlannedLimit[] {
  return [...Map.groupBy(limits, ({ period }) => period).values()].map((same) =>
    same.reduce((least, each) => (each.amount < least.amount ? each : least)),
  );
}
