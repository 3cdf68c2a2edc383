import type { Exchange } from '../../http/exchange.ts';
import { joined } from '../../store/joined.ts';
import { recordChange } from '../audit/audit.ts';
import type { AdminParts } from '../parts.ts';
import { sentFrom } from '../audit/sent-from.ts';
import type { Token } from './tokens.ts';

/** A busy token writes its last use at most this often. */
const writeEveryMs = 60_000;

/** Writes the last use of a token. The first use, in any process, is also written to the audit log. */
export async function recordUse(
  { store, clock }: Pick<AdminParts, 'store' | 'clock'>,
  token: Token,
  exchange: Exchange,
): Promise<void> {
  const at = clock.now();
  const { id, name, role, display, accountId, lastUsedAt } = token;
  if (lastUsedAt !== undefined && at - lastUsedAt < writeEveryMs) return;
  await store.transaction(async (tx) => {
    const own = tx.updateTable('admin_tokens').set({ last_used_at: at }).where('id', '=', id);
    const isLater = lastUsedAt !== undefined;
    const updated = await (isLater ? own : own.where('last_used_at', 'is', null)).executeTakeFirst();
    if (isLater || updated.numUpdatedRows === 0n) return;
    const change = { kind: 'token', id, after: { name, role, display }, accounts: accountId ? [accountId] : [] };
    const by = { at, actor: id, role, action: 'useToken', ...sentFrom(exchange) };
    await recordChange(joined(store, tx), change, by);
  });
}
