import type { Generated } from 'kysely';

/** What processes tell each other. */
export interface ClusterTables {
  changes: ChangesTable;
  settings: SettingsTable;
  place_members: PlaceMembersTable;
  place_news: PlaceNewsTable;
  reply_claims: ReplyClaimsTable;
  reply_pieces: ReplyPiecesTable;
}

interface ChangesTable {
  id: Generated<number>;
  topic: string;
  subject: string;
  at: number;
}

interface SettingsTable {
  name: string;
  value: string;
}

/** A process that shares upstreams with others. */
interface PlaceMembersTable {
  process: string;
  heard_ms: number;
  /** All else that is known of it, as JSON. */
  member: string;
}

interface PlaceNewsTable {
  subject: string;
  process: string;
  value: string;
  version: number;
  until_ms: number;
}

/** A reply that its client has named, by the process that makes it. */
interface ReplyClaimsTable {
  /** A digest of the API key, site, endpoint and name: nobody else finds it. */
  place: string;
  /** The request that it is the reply to. */
  claim: string;
  process: string;
  /** Of the request's body. */
  digest: string;
  /** `over`: it failed, and whoever asks again may make another. */
  state: 'running' | 'whole' | 'over';
  /** JSON: how it ended, or that it cannot be told. */
  ending: string | null;
  claimed_at: number;
  /** Somebody reads it in another process until then, by the database's clock. */
  wanted_until: number | null;
  kept_until: number | null;
}

/** What was said of a reply, from one character on; pieces may overlap. */
interface ReplyPiecesTable {
  claim: string;
  start: number;
  length: number;
  sealed: string;
}
