import colors from 'picocolors';
import { type ApiKey, keyState } from '../accounts/keys.ts';
import { systemClock } from '../core/clock.ts';
import { decimalText } from '../core/money.ts';
import { type Cell, table } from './output.ts';
import { relativeText } from './time-text.ts';

/** Renders one row per key. Pass `accountName` if the keys belong to several accounts. */
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

/** The spend cap and its period, such as `10.00 per day`. */
export function capText({ spendCap, capPeriod }: ApiKey): string {
  if (spendCap === undefined) return 'none';
  return capPeriod ? `${decimalText(spendCap)} per ${capPeriod}` : decimalText(spendCap);
}

export function keyStateCell(key: ApiKey): Cell {
  const state = keyState(key, systemClock.now());
  return { text: state, paint: state === 'active' ? colors.green : colors.yellow };
}
