import { decimalText, nanoFrom } from 'chat-gateway-figures/money.ts';
import type { Balance } from '../api/wire.ts';

type BalanceParts = Readonly<Record<'total' | 'spendable' | 'reserved', string>>;

type ReadParts = Pick<Balance, 'total' | 'spendable' | 'reserved'>;

const unit = 1_000_000_000n;
const cent = 10_000_000n;

/**
 * The parts of a balance as people see them. Amounts are truncated to cents, so the exact parts could seem to be a cent
 * less than their total. The reserved part is therefore the difference of the shown amounts. Below one unit all digits
 * matter, and nothing is truncated.
 */
export function shownParts({ total, spendable: given, reserved }: ReadParts): BalanceParts {
  const spendable = given ?? total;
  if (nanoFrom(total) < unit) return { total, spendable, reserved };
  const [whole, free] = [truncated(total), truncated(spendable)];
  return { total: decimalText(whole), spendable: decimalText(free), reserved: decimalText(whole - free) };
}

function truncated(amount: string): bigint {
  const exact = nanoFrom(amount);
  return exact - (exact % cent);
}
