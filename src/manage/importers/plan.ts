import type { z } from 'zod';
import type { ForeignPasswordForm } from '../../money/accounts/foreign-passwords.ts';
import type { MemberRole } from '../../money/accounts/members.ts';
import type { modelSchema } from '../../platform/config/schema/model.ts';
import type { packageSchema } from '../../platform/config/schema/package.ts';
import type { secretFields, upstreamSchema } from '../../platform/config/schema/upstream.ts';
import type { Limit } from '../../core/limit.ts';
import type { Nano } from '../../core/money.ts';
import type { CapPeriod } from '../../core/time/cap-period.ts';
import type { Finding } from './findings.ts';
import type { Secret } from './secret.ts';

export const products = ['litellm', 'bifrost', 'new-api', 'one-api'] as const;

export type Product = (typeof products)[number];

/**
 * Everything that an import would create, without a word of the product that it comes from. Items refer to each other by
 * source id; entries of the catalog by name.
 */
export interface ImportPlan {
  readonly organisations: readonly PlannedOrganisation[];
  readonly accounts: readonly PlannedAccount[];
  readonly users: readonly PlannedUser[];
  readonly keys: readonly PlannedKey[];
  readonly packages: readonly PlannedPackage[];
  readonly upstreams: readonly PlannedUpstream[];
  readonly models: readonly PlannedModel[];
  readonly findings: readonly Finding[];
}

interface PlannedItem {
  readonly sourceId: string;
}

/** A limit, and the spend so far that counts in it: of its current period, or all for a total. */
export interface PlannedLimit extends Limit {
  readonly spent: Nano;
}

export interface PlannedOrganisation extends PlannedItem {
  /** Made by `itemName`: valid and unique. */
  readonly name: string;
  readonly displayName?: string | undefined;
  /** Patterns; `undefined`: all models. */
  readonly models?: readonly string[] | undefined;
  readonly limits: readonly PlannedLimit[];
  readonly timeZone?: string | undefined;
  /** The source id of an account without limits that takes spend in these limits that no account has. */
  readonly restAccount?: string | undefined;
}

export interface PlannedAccount extends PlannedItem {
  readonly name: string;
  readonly displayName?: string | undefined;
  /** The source id of an organisation. */
  readonly organisation?: string | undefined;
  /** The name of a package of the plan. */
  readonly packageName: string;
  readonly billing: 'prepaid' | 'postpaid';
  readonly status: 'active' | 'suspended';
  readonly limits: readonly PlannedLimit[];
  readonly timeZone?: string | undefined;
  /** Booked as the opening balance. It may be negative. */
  readonly balance: Nano;
}

export interface PlannedUser extends PlannedItem {
  readonly email: string;
  readonly displayName?: string | undefined;
  /** `undefined`: the user gets a reset link. */
  readonly password?: ForeignPassword | undefined;
  readonly memberships: readonly PlannedMembership[];
  readonly organisations: readonly { readonly organisation: string; readonly role: 'owner' | 'viewer' }[];
}

/** A password hash in the form of the product that made it. It is replaced at the next sign-in. */
export interface ForeignPassword {
  readonly form: ForeignPasswordForm;
  readonly hash: Secret;
}

export interface PlannedMembership {
  /** The source id of an account. */
  readonly account: string;
  readonly role: MemberRole;
  readonly limits: readonly PlannedLimit[];
  readonly models?: readonly string[] | undefined;
  readonly maxConcurrency?: number | undefined;
}

export interface PlannedKey extends PlannedItem {
  readonly account: string;
  /** The source id of a user who is a member of the account. */
  readonly member?: string | undefined;
  readonly name: string;
  readonly secret: PlannedSecret;
  /** Model ids, aliases or patterns; `undefined`: no limit of its own. */
  readonly models?: readonly string[] | undefined;
  readonly spendCap?: Nano | undefined;
  /** `undefined`: the cap never renews. */
  readonly capPeriod?: CapPeriod | undefined;
  /** Spend so far: of the current period, if the cap has one and `spentInPeriod` is missing; else all of it. */
  readonly spent: Nano;
  /** The part of `spent` in the current period of the cap. */
  readonly spentInPeriod?: Nano | undefined;
  /** The source id of the key that replaced this one. Both share their limits. */
  readonly replacedBy?: string | undefined;
  readonly maxConcurrency?: number | undefined;
  readonly addresses?: readonly string[] | undefined;
  readonly expiresAt?: number | undefined;
  readonly status: 'active' | 'revoked';
}

/**
 * The key itself, or the lower-case hex SHA-256 of it. Clients may send a key of the form `new-api` with or without `sk-`,
 * and with a channel behind it.
 */
export type PlannedSecret =
  | { readonly form: 'plain' | 'new-api'; readonly value: Secret }
  | { readonly form: 'sha256'; readonly digest: Secret };

/** In the format of the configuration file. */
export interface PlannedPackage extends PlannedItem {
  readonly spec: z.input<typeof packageSchema>;
}

/** The settings without credentials, and the credentials apart. An upstream that lacks one has `enabled: false`. */
export interface PlannedUpstream extends PlannedItem {
  readonly spec: z.input<typeof upstreamSchema>;
  readonly secrets: UpstreamSecrets;
}

/**
 * The secret fields of an upstream, such as `api_key`. A value of the form `${NAME}` is a reference to the environment of
 * the gateway.
 */
export type UpstreamSecrets = Readonly<
  Partial<Record<(typeof secretFields)[number], Secret | readonly Secret[] | Readonly<Record<string, Secret>>>>
>;

export interface PlannedModel extends PlannedItem {
  readonly spec: z.input<typeof modelSchema>;
}
