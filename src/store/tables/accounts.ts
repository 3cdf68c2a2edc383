import type { Generated } from 'kysely';
import type { SecretDigest, Source } from './columns.ts';

export interface AccountTables {
  accounts: {
    id: string;
    name: string;
    /** Name shown to people, if not `name`. */
    display_name: Generated<string | null>;
    package: string;
    status: 'active' | 'suspended';
    /** Decimal text as the configuration has it. */
    credit: string | null;
    /** Time zone in which its days begin; null: UTC. */
    time_zone: string | null;
    source: Source;
    created_at: number;
  };
  api_keys: SecretDigest & {
    id: string;
    account_id: string;
    name: string;
    /** JSON list of model ids or patterns. */
    models: string | null;
    /** Whole nano-units as text, because integers of neither engine are read as exact numbers. */
    spend_cap: string | null;
    /** `day`, `week` or `month`, if the cap resets. */
    cap_period: string | null;
    max_concurrency: number | null;
    /** JSON list of the IP addresses and ranges from which it may be used. */
    addresses: string | null;
    /** The first key in the chain of replacements; a key that replaced none is its own first. */
    first_id: string;
    rotated_from: string | null;
    /** 1 if `stream: false` gets one JSON body, regardless of the site's setting. */
    honour_stream_false: number;
    /** 1 if its answers contain their charge, regardless of the site's setting. */
    report_cost: number;
    /** 1 if the bodies of its requests are stored. */
    store_bodies: number;
    /** 1 for a temporary key that a dashboard page created for itself. */
    temporary: number;
    expires_at: number | null;
    revoked_at: number | null;
    created_at: number;
    last_used_at: number | null;
  };
}
