import type { Generated } from 'kysely';
import type { Source } from './columns.ts';

/** Accounts and their keys. */
export interface AccountTables {
  accounts: AccountsTable;
  api_keys: ApiKeysTable;
}

interface AccountsTable {
  id: string;
  name: string;
  /** What people call it, if not by its name. */
  display_name: Generated<string | null>;
  package: string;
  status: 'active' | 'suspended';
  /** Decimal text as the configuration has it. */
  credit: string | null;
  /** By whose clocks its days begin; null: UTC. */
  time_zone: string | null;
  source: Source;
  created_at: number;
}

interface ApiKeysTable {
  id: string;
  account_id: string;
  name: string;
  /** Hex HMAC of the secret; the secret itself is nowhere. */
  digest: string;
  /** Names the secret that the digest was made with; null: the one that the store was made with. */
  digest_secret: Generated<string | null>;
  display: string;
  /** JSON list of model ids or patterns. */
  models: string | null;
  /** Whole nano-units as text: neither engine's integers come back as exact numbers. */
  spend_cap: string | null;
  /** `day`, `week` or `month`, where the cap renews. */
  cap_period: string | null;
  /** How many of its requests are worked on at once, at most. */
  max_concurrency: number | null;
  /** JSON list of the addresses and ranges it may be used from. */
  addresses: string | null;
  /** The first of the keys that replaced each other, where it is another. */
  first_id: string | null;
  /** The key that this one replaced. */
  rolled_from: string | null;
  /** 1 where `stream: false` gets one JSON body, whatever the site says. */
  honour_stream_false: number | null;
  /** 1 where the bodies of its requests are stored. */
  store_bodies: number | null;
  /** 1 where a page made it for itself. */
  passing: number | null;
  expires_at: number | null;
  revoked_at: number | null;
  created_at: number;
  last_used_at: number | null;
}
