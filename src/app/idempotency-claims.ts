import type { SecretVault } from '../platform/secrets/secret-vault.ts';
import type { LeaseKeeper } from '../platform/cluster/lease-keeper.ts';
import { peers } from '../platform/cluster/peers.ts';
import { ReplyClaims } from '../platform/cluster/reply-claims.ts';
import type { Failpoint } from '../core/failpoint.ts';
import { periodicDeletion } from '../platform/store/periodic-deletion.ts';
import { IdempotencyClaims } from '../serving/surfaces/replies/idempotency-claims.ts';
import { deletionError } from './logged-errors.ts';
import type { ServiceParts } from './gateway.ts';

interface IdempotencyParts extends ServiceParts {
  readonly vault: SecretVault;
  readonly leases: LeaseKeeper;
  readonly failpoint: Failpoint;
}

/** The idempotency claims of this process, and the periodic deletion of old ones. */
export function idempotencyClaims({ store, clock, vault, leases, log, failpoint }: IdempotencyParts) {
  const claims = new ReplyClaims(store, (error) =>
    log.error({ error: String(error) }, 'an invariant about replies was violated'),
  );
  const replies = new IdempotencyClaims({ clock, vault, claims, peers: peers(leases), failpoint });
  const old = { store, what: 'replies', onError: deletionError(log) };
  const deletions = periodicDeletion(old, [() => claims.deleteOld()]);
  return {
    replies,
    claims,
    start: () => deletions.start(),
    stop() {
      deletions.stop();
      return replies.stop();
    },
  };
}
