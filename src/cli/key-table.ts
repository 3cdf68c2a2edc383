import colors from 'picocolors';
import { type ApiKey, keyState } from '../accounts/keys.ts';
import { systemClock } from '../core/clock.ts';
import { decimalText } from '../core/money.ts';
import { type Cell, table } from './output.ts';
import { relativeText } from './time-text.ts';

/** Keys a line each; with a name for their accounts where they belong to several. */
export function keyTable(keys: readonly ApiKey[], accountName?: (key: ApiKey) => string): string {
  const now = systemClock.now();
  const rows = keys.map((key): Cell[] => [
    key.name,
    ...(accountName ? [accountName(key)] : []),
    key.display,
    keyStateCell(key),
    key.models?.join(', ') ?? 'all',
    capText(key),
    key.lastUsedAt === undefined ? 'never' : relativeText(key.lastUsedAt, now),
    key.expiresAt === undefined ? 'never' : relativeText(key.expiresAt, now),
    key.id,
  ]);
  const account = accountName ? ['account'] : [];
  return table(['name', ...account, 'key', 'state', 'models', 'spend cap', 'last used', 'expires', 'id'], rows);
}

/** What a key may spend, and how often that is new. */
export function capText({ spendCap, capPeriod }: ApiKey): string {
  if (spendCap === undefined) return 'none';
  return capPeriod ? `${decimalText(spendCap)} a ${capPeriod}` : decimalText(spendCap);
}

export function keyStateCell(key: ApiKey): Cell {
  const state = keyState(key, systemClock.now());
  return { text: state, paint: state === 'active' ? colors.green : colors.yellow };
}
