import type { Generated } from 'kysely';
import { byChanges, type KeyScheme, type SecretDigest, type Source, type TableBounds } from './columns.ts';

export interface AccountTables {
  organisations: {
    id: string;
    name: string;
    /** Name shown to people, if not `name`. */
    display_name: Generated<string | null>;
    /** JSON list of model ids or patterns; null: all. */
    models: Generated<string | null>;
    /** JSON list of the limits on the spend of all its accounts together; null: none. */
    limits: Generated<string | null>;
    /** Time zone in which the periods of its own limits begin; null: UTC. */
    time_zone: Generated<string | null>;
    /** JSON of the spans in which it last changed, which end first; null: it never changed. */
    kept_spans: Generated<string | null>;
    source: Source;
    created_at: number;
  };
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
    /** JSON of the spans in which it last changed, which end first; null: it never changed. */
    kept_spans: Generated<string | null>;
    /** A postpaid account has no floor: its negative balance is the open amount. */
    billing: Generated<'prepaid' | 'postpaid'>;
    /** JSON list of limits on its spend; null: none. */
    limits: Generated<string | null>;
    organisation_id: Generated<string | null>;
    /** When it joined the organisation; null: when it was created. */
    organisation_since: Generated<number | null>;
    source: Source;
    created_at: number;
  };
  /** Accounts that left an organisation, which its earlier bills still have. */
  organisation_departures: { organisation_id: string; account_id: string; joined_at: number; left_at: number };
  api_keys: SecretDigest & {
    id: string;
    account_id: string;
    /** The user whose limits it counts for, besides its account's; null: none. */
    member_id: Generated<string | null>;
    name: string;
    /** How the secret of an imported key is recognised; null: the key was created here. */
    scheme: Generated<KeyScheme | null>;
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
  /** Where imported items come from, so that a second import changes nothing. */
  import_sources: {
    /** Product and database, such as `litellm:PostgreSQL at db.example/litellm`. */
    source: string;
    /** `account`, `key` and so on. */
    kind: string;
    source_id: string;
    /** The id of the item here; the name of an entry of the catalog. */
    subject_id: string;
    /** Of the item as the source had it. */
    digest: string;
    /** Of the item here after the import: another one means that it was changed here. */
    subject_digest: string;
    imported_at: number;
  };
}

export const accountBounds: TableBounds<AccountTables> = {
  organisations: { reason: 'rows of the operator' },
  accounts: { reason: 'rows of the operator, and one for each confirmed sign-up' },
  organisation_departures: { reason: 'rows of the operator' },
  api_keys: byChanges,
  import_sources: { reason: 'rows of the operator' },
};
