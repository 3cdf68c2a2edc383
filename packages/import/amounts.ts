import { decimalText, type Nano, nanoFrom } from 'chat-gateway-figures/money.ts';
import { scaledDecimal } from './decimal-text.ts';
import type { FindingList, FindingSubject } from './findings.ts';
import type { PlannedLimit, PlannedPeriod } from './plan.ts';

/** The largest amount of an entry, a limit or a cap. */
export const amountMax = nanoFrom('999999999');

export interface AmountParts {
  readonly subject: FindingSubject;
  readonly findings: FindingList;
}

/** An amount of the source in nano-units. */
export function moneyOf(field: string, text: string | undefined, { subject, findings }: AmountParts): Nano | undefined {
  if (text === undefined) return undefined;
  const amount = scaledDecimal(text, 9);
  if (!amount || amount.value < 0n) {
    findings.add('amount_unreadable', subject, { field, amount: text });
    return undefined;
  }
  if (amount.value > amountMax) {
    findings.add('amount_too_large', subject, { field, amount: text, used: decimalText(amountMax) });
    return amountMax;
  }
  if (!amount.isExact) {
    findings.add('amount_rounded', subject, { field, amount: text, rounded: decimalText(amount.value) });
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
