import type { Generated } from 'kysely';
import type { Source, TableBounds } from './columns.ts';

/** The outbox: events, and their delivery to people and webhook endpoints. */
export interface OutboxTables {
  events: {
    id: string;
    kind: string;
    /** Null: for operators only. */
    account_id: string | null;
    at: number;
    /** JSON, without secrets. */
    data: string;
    /** Time of the fan-out, which creates a delivery for each subscriber; null: not done yet. */
    fanned_out_at: number | null;
  };
  alert_states: { subject: string; state: string; since: number };
  /** Webhook endpoints and e-mail channels. All times except `created_at` are by the database's clock. */
  delivery_endpoints: {
    id: string;
    channel: 'webhook' | 'mail';
    /** Null: belongs to the operators. */
    account_id: string | null;
    name: string;
    url: string;
    /** JSON list of event kinds; null: all kinds that concern it. */
    kinds: string | null;
    /** Encrypted by the vault; null if the secret is in the configuration file. */
    secret: string | null;
    /** The previous secret, which signs as well as the new one until `old_secret_until`. */
    old_secret: string | null;
    old_secret_until: number | null;
    /** `failed`: the gateway disabled it, because every delivery failed for too long. */
    status: 'on' | 'paused' | 'failed';
    source: Source;
    created_at: number;
    /** Start of the current series of failed attempts. */
    failing_since: number | null;
    failures: Generated<number>;
    cooldown_until: Generated<number>;
    /** The sender that has claimed it, until `claimed_until`. */
    claim: string | null;
    claimed_until: Generated<number>;
    served_at: Generated<number>;
  };
  /** The delivery of one event or e-mail to one endpoint. */
  deliveries: {
    id: string;
    event_id: string | null;
    endpoint_id: string;
    account_id: string | null;
    /** Recipient of an e-mail; empty for a webhook. */
    target: Generated<string>;
    state: 'waiting' | 'delivered' | 'given-up';
    attempts: number;
    /** By the database's clock, like `first_at`. */
    next_at: number;
    /** When it was first due; a manual resend resets it. */
    first_at: number;
    /** Content of an e-mail, encrypted by the vault until it is sent. */
    payload: string | null;
    /** JSON list of attempts. */
    attempt_log: string;
    created_at: number;
  };
  /** Users who receive e-mails about an account, if its owners have chosen them. */
  account_readers: { account_id: string; user_id: string };
  /** Subscription to a regular summary: of an account, or of everything for an operator. */
  digests: {
    subject: string;
    account_id: string | null;
    user_id: string | null;
    cadence: 'day' | 'week';
    /** End of the last summary. */
    since: number;
    due_at: number;
  };
}

export const outboxBounds: TableBounds<OutboxTables> = {
  events: {
    reason:
      'for `webhooks.retention`; each follows from a change that `changesMax` counts, a batch, or a limit once a period',
  },
  alert_states: { reason: 'one row per subject of an alert' },
  delivery_endpoints: { quota: 'webhookEndpointsMax', enforcedBy: 'manage/admin/webhooks/webhooks.ts' },
  deliveries: { quota: 'waitingMax', enforcedBy: 'operate/notifications/fan-out.ts' },
  account_readers: { quota: 'readersMax', enforcedBy: 'money/accounts/readers.ts' },
  digests: { reason: 'one row per account and per operator' },
};
