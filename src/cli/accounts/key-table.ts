import colors from 'picocolors';
import type { KeyDocument } from '../../admin/keys/key-documents.ts';
import { systemClock } from '../../core/time/clock.ts';
import { type Cell, table } from '../output.ts';
import { relativeText } from '../time-text.ts';

/** Renders one row per key. Pass `accountName` if the keys belong to several accounts. */
export function keyTable(keys: readonly KeyDocument[], accountName?: (key: KeyDocument) => string): string {
  const now = systemClock.now();
  const moment = (at: string | null) => (at === null ? 'never' : relativeText(Date.parse(at), now));
  const rows = keys.map((key): Cell[] => [
    key.name,
    ...(accountName ? [accountName(key)] : []),
    key.display,
    keyStateCell(key),
    key.models?.join(', ') ?? 'all',
    capText(key),
    moment(key.last_used_at),
    moment(key.expires_at),
    key.id,
  ]);
  const account = accountName ? ['account'] : [];
  return table(['name', ...account, 'key', 'state', 'models', 'spend cap', 'last used', 'expires', 'id'], rows);
}

/** The spend cap and its period, such as `10.00 per day`. */
export function capText({ spend_cap: cap, cap_period: period }: KeyDocument): string {
  return cap === null ? 'none' : period === null ? cap : `${cap} per ${period}`;
}

export function keyStateCell({ state }: KeyDocument): Cell {
  return { text: state, paint: state === 'active' ? colors.green : colors.yellow };
}
