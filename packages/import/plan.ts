import type { FallbackReason } from 'chat-formats/chat/model.ts';
import type { PassThroughEndpoint } from 'chat-formats/chat/pass-through-endpoint.ts';
import type { Nano } from 'chat-gateway-figures/money.ts';
import type { Finding } from './findings.ts';
import type { Secret } from './secret.ts';
import type { PriceSettings } from './target.ts';

export const products = ['litellm', 'bifrost', 'new-api', 'one-api'] as const;

export type Product = (typeof products)[number];

/**
 * Everything that an import would create, without a word of the product that it comes from. Items refer to each other by
 * source id; entries of the catalog by name. Amounts are in US dollars.
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
export interface PlannedLimit {
  readonly amount: Nano;
  readonly period: PlannedPeriod;
  /** Shares of the amount, such as `0.8`, at which the owners are notified. */
  readonly notifyAt: readonly string[];
  readonly spent: Nano;
}

/** `total`: the limit never renews. */
export type PlannedPeriod = 'day' | 'week' | 'month' | 'total';

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
  /** `scrypt-16384`: base64 of 16 bytes salt and 32 bytes key. `sha256`: hex, without salt. */
  readonly form: 'bcrypt' | 'scrypt-16384' | 'sha256';
  readonly hash: Secret;
}

export interface PlannedMembership {
  /** The source id of an account. */
  readonly account: string;
  readonly role: 'owner' | 'member';
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
  readonly capPeriod?: Exclude<PlannedPeriod, 'total'> | undefined;
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

/** In the format of the configuration file, as all `spec`. */
export interface PlannedPackage extends PlannedItem {
  readonly spec: { readonly name: string; readonly models: readonly string[]; readonly price_factor?: string };
}

/** The settings without credentials, and the credentials apart. An upstream that lacks one has `enabled: false`. */
export interface PlannedUpstream extends PlannedItem {
  readonly spec: {
    readonly name: string;
    readonly kind: string;
    readonly enabled?: boolean;
    readonly [field: string]: string | number | boolean | undefined;
  };
  readonly secrets: UpstreamSecrets;
}

/**
 * The secret fields of an upstream, such as `api_key`. A value of the form `${NAME}` is a reference to the environment of
 * the gateway.
 */
export type UpstreamSecrets = Readonly<
  Partial<Record<SecretField, Secret | readonly Secret[] | Readonly<Record<string, Secret>>>>
>;

type SecretField =
  | 'api_key'
  | 'api_keys'
  | 'headers'
  | 'access_key_id'
  | 'secret_access_key'
  | 'session_token'
  | 'service_account';

export interface PlannedModel extends PlannedItem {
  readonly spec: ModelSettings;
}

export interface ModelSettings extends PriceSettings {
  readonly id: string;
  readonly aliases?: readonly string[];
  readonly endpoints?: readonly PassThroughEndpoint[];
  readonly routes: readonly PlannedRoute[];
  readonly fallbacks?: readonly PlannedFallback[];
}

export interface PlannedRoute {
  readonly upstream: string;
  /** The provider's name of the model, if it is another one. */
  readonly model?: string;
  readonly priority?: number;
  readonly weight?: number;
}

export interface PlannedFallback {
  readonly model: string;
  readonly on: readonly FallbackReason[];
}
