import type { Account, Key } from './documents.ts';
import type { MemberRole } from './session.ts';

/** A site as the configuration file would write it; what is left out stands at its default. */
export interface SiteSpec {
  readonly name: string;
  readonly domains: readonly string[];
  readonly models: readonly string[];
  readonly title?: string;
  readonly sign_up?: boolean;
  readonly sign_up_package?: string;
  readonly honour_stream_false?: boolean;
  readonly messages_bearer?: boolean;
}

/** A package as the configuration file would write it; a weight that is left out is 1. */
export interface PackageSpec {
  readonly name: string;
  readonly models: readonly string[];
  readonly weight?: number;
}

/** An account as an operator sees it. */
export interface OperatorAccount extends Account {
  readonly balance: string;
  readonly keys: number;
  readonly last_used_at: string | null;
}

export interface OperatorKey extends Key {
  readonly spent: string;
}

export const creditKinds = ['grant', 'top_up', 'refund', 'adjust'] as const;

export type CreditKind = (typeof creditKinds)[number];

export interface Credit {
  readonly kind: CreditKind;
  readonly amount: string;
  readonly reference: string;
  readonly reason: string;
}

export interface AccountMember {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: MemberRole;
}

/** What an account used and spent over time. */
export interface AccountUsage {
  readonly totals: UsageFigures;
  readonly series: readonly (UsageFigures & { readonly at: string })[];
  readonly top_models: readonly (Pick<UsageFigures, 'spend' | 'requests'> & { readonly model: string })[];
}

interface UsageFigures {
  readonly spend: string;
  readonly requests: number;
  readonly errors: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly mean_wait_ms: number | null;
}

export type ResourceKind = 'upstream' | 'model' | 'package' | 'site';

export type DriftKind = 'only in the store' | 'only in the file' | 'different';

export interface System {
  readonly version: string;
  readonly build: string;
  readonly engine: 'sqlite' | 'postgres';
  readonly schema_version: string;
  readonly currency: string;
  readonly process: { readonly id: string; readonly started_at: string; readonly uptime_s: number };
  readonly replicas: readonly Replica[];
  readonly config: {
    readonly file: string | null;
    readonly owned: readonly { readonly kind: ResourceKind; readonly name: string }[];
    readonly drift: readonly Drift[];
    readonly problems: readonly string[];
  };
}

export interface Replica {
  readonly id: string;
  readonly started_at: string;
  readonly last_seen_at: string;
  readonly is_alive: boolean;
  readonly is_self: boolean;
}

export interface Drift {
  readonly kind: ResourceKind;
  readonly name: string;
  readonly difference: DriftKind;
}

export interface LedgerReport {
  readonly is_sound: boolean;
  readonly checks: readonly LedgerCheck[];
}

export interface LedgerCheck {
  /** What must be true, as an English sentence. */
  readonly title: string;
  readonly count: number;
  readonly violations: readonly string[];
}
