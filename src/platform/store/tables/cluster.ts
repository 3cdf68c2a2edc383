import type { Generated } from 'kysely';
import type { TableBounds } from './columns.ts';

export interface ClusterTables {
  changes: { id: Generated<number>; topic: string; subject: string; at: number };
  settings: { name: string; value: string };
  /** A process that shares upstream limits with others. */
  cluster_members: {
    process: string;
    /** All fields, as JSON. */
    member: string;
  };
  shared_states: { subject: string; process: string; value: string; version: number; until_ms: number };
  /** An idempotency claim: the process that generates the reply for an `Idempotency-Key`. */
  reply_claims: {
    /** Digest of the API key, site, endpoint and `Idempotency-Key`, so that no other key can find the reply. */
    scope: string;
    /** The request that the reply belongs to. */
    claim: string;
    process: string;
    /** Digest of the request's body. */
    digest: string;
    /** `failed`: a retry may generate another reply. */
    state: 'running' | 'complete' | 'failed';
    /** JSON: how it ended, or that it cannot be replayed. */
    ending: string | null;
    claimed_at: number;
    /** A remote reader in another process needs the reply until then, by the database's clock. */
    read_until: number | null;
    kept_until: number | null;
  };
  /** A piece of a reply, starting at one character offset; pieces may overlap. */
  reply_pieces: { claim: string; start: number; length: number; sealed: string };
}

export const clusterBounds: TableBounds<ClusterTables> = {
  changes: { reason: 'deleted after an hour; each row is a change that `changesMax` counts, or one of the gateway' },
  settings: { reason: 'rows of the gateway' },
  cluster_members: { reason: 'rows of running processes' },
  shared_states: { quota: 'sharedStateMax', enforcedBy: 'platform/cluster/shared-state.ts' },
  reply_claims: {
    reason: 'deleted two minutes after the reply; requests that run at once are bounded by slots and queues',
  },
  reply_pieces: { reason: 'deleted with their claims; `charactersMax` of each reply' },
};
