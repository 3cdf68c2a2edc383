import { createSecretKey } from 'node:crypto';
import type { KeyId } from '../../src/money/accounts/ids.ts';
import { limitKey } from '../../src/money/accounts/key-limits.ts';
import { BodyKeeper } from '../../src/work/bodies/body-keeper.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import type { AdminGateway, Member } from '../gateways/admin-gateway.ts';

/** Stores bodies for requests of a member's key. Each request body is `asked` and the id of the request. */
export async function storedFor(
  gateway: AdminGateway,
  member: Member,
  ids: readonly string[],
): Promise<readonly string[]> {
  const { store, storedBodies } = gateway;
  const { keyId, account } = member;
  const bounds = { maxBytes: 1000, accountBytesMax: 1e9, memoryBytesMax: 1e9 };
  storedBodies.terms ??= { keep: 86_400_000, ...bounds };
  await limitKey(store, keyId as KeyId, { storeBodies: true });
  const keeper = new BodyKeeper({
    store,
    // Their age is compared with the clock of the database.
    clock: systemClock,
    pepper: createSecretKey(Buffer.alloc(32, 7)),
    settings: () => ({ ...bounds, ...storedBodies.terms }),
    dropped: () => {},
    onError: () => {},
    onRefused: () => {},
  });
  for (const id of ids) {
    const copy = keeper.copyFor({ storesBodies: true });
    copy?.received(Buffer.from(`asked ${id}`));
    copy?.sent(`data: said ${id}\n\n`, 'utf8');
    const note = copy && keeper.keep({ id, accountId: account.id, keyId }, copy);
    await gateway.record({ id, accountId: account.id, keyId, notes: note === undefined ? [] : [note] });
  }
  await keeper.stop();
  return ids;
}
