import type { Generated } from 'kysely';
import type { Source } from './columns.ts';

/** What people are told, and how it gets to them. */
export interface NoticeTables {
  notices: NoticesTable;
  standings: { subject: string; state: string; since: number };
  receivers: ReceiversTable;
  deliveries: DeliveriesTable;
  /** Who letters about an account go to, where its owners have chosen. */
  account_readers: { account_id: string; user_id: string };
  digests: DigestsTable;
}

/** Who wants to hear regularly how things go: of an account, or as an operator of all. */
interface DigestsTable {
  subject: string;
  account_id: string | null;
  user_id: string | null;
  cadence: 'day' | 'week';
  /** Up to here they know. */
  since: number;
  due_at: number;
}

/** What happened that somebody may want to be told of. */
interface NoticesTable {
  id: string;
  kind: string;
  /** Null: a matter of operators alone. */
  account_id: string | null;
  at: number;
  /** JSON, without secrets. */
  data: string;
  /** When a delivery was made for everybody who wants it; null: not yet. */
  shared_at: number | null;
}

/** Who is told. Times by the database's clock, but for `created_at`. */
interface ReceiversTable {
  id: string;
  channel: 'webhook' | 'mail';
  /** Null: the operators'. */
  account_id: string | null;
  name: string;
  url: string;
  /** JSON list of kinds; null: all that concern it. */
  kinds: string | null;
  /** Sealed by the vault; null where the configuration file has it. */
  secret: string | null;
  /** Signs beside the new one until then. */
  old_secret: string | null;
  old_secret_until: number | null;
  /** `failed`: switched off by the gateway, since nothing arrived for too long. */
  status: 'on' | 'paused' | 'failed';
  source: Source;
  created_at: number;
  /** Since when every attempt has failed. */
  failing_since: number | null;
  failures: Generated<number>;
  /** It is left alone until then. */
  rest_until: Generated<number>;
  /** Which sender has it now, and until when it is believed to. */
  claim: string | null;
  claimed_until: Generated<number>;
  /** When it last had its turn. */
  turn_at: Generated<number>;
}

/** One notice, or one letter, on its way to one receiver. */
export interface DeliveriesTable {
  id: string;
  notice_id: string | null;
  receiver_id: string;
  account_id: string | null;
  /** Whom a letter is for; empty for a webhook. */
  target: Generated<string>;
  state: 'waiting' | 'delivered' | 'given-up';
  attempts: number;
  /** By the database's clock, as `first_at`. */
  next_at: number;
  /** When it was first due; being sent again by hand begins anew. */
  first_at: number;
  /** What a letter says, sealed by the vault until it is sent. */
  payload: string | null;
  /** JSON list of attempts. */
  trail: string;
  created_at: number;
}
