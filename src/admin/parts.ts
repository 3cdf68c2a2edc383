import type { Pepper } from '../accounts/key-digest.ts';
import type { SecretVault } from '../catalog/secret-vault.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import type { Resource } from '../config/resource.ts';
import type { Clock } from '../core/clock.ts';
import type { Nano } from '../core/money.ts';
import type { Mailer } from '../deliveries/mailer.ts';
import type { Exchange } from '../http/exchange.ts';
import type { PaymentProvider } from '../payments/payment-provider.ts';
import type { Rates } from '../requests/minute-rates.ts';
import type { Upstreams } from '../routing/upstreams.ts';
import type { Store } from '../store/store.ts';
import type { ProbeReport } from '../upstreams/probe.ts';
import type { SignedInUser } from './caller.ts';
import type { WholeService } from './whole-service.ts';

/**
 * What the APIs need of the running process. What the store knows they ask the rooms below for themselves, by name and
 * not through interfaces of their own: each of those had one side and was never anything else.
 */
export interface AdminParts {
  /** Inside a write this is the store as its transaction sees it: everything must go through it. */
  readonly store: Store;
  readonly clock: Clock;
  readonly pepper: Pepper;
  readonly vault: SecretVault;
  /** The catalog as requests see it now. */
  current(): Pick<Snapshot, 'catalog' | 'version' | 'problems'>;
  /** Has requests of this process see the catalog as the store has it now; where that fails, it is tried again later. */
  refresh(): Promise<void>;
  currency(): string;
  /** How bodies of requests are stored; nothing where the configuration does not allow it. */
  storedBodies(): BodyTerms | undefined;
  /** Whether nothing would ever be delivered to a webhook of an account there, as far as that is known at once. */
  isWebhookRefused(url: string): Promise<boolean>;
  /** Sends letters, if there is a mail server. */
  readonly mail: Pick<Mailer, 'post' | 'settings'>;
  /** The path in front of the messages surface. */
  messagesPrefix(): string;
  readonly upstreams: Pick<Upstreams, 'report' | 'queues'>;
  /** What is going on in the processes behind the address that was asked. */
  readonly figures: () => {
    readonly requests: number;
    readonly retries: { readonly inUse: number; readonly limit: number };
    readonly rates: Rates;
  };
  /** What the processes of the service have at upstreams. */
  readonly sharing: () => Promise<WholeService>;
  system(): SystemFacts;
  /** Who is signed in to the dashboard, for requests that bring no token. */
  readonly signedIn: (exchange: Exchange) => Promise<SignedInUser | undefined>;
  /** Looks at what may be a guess, in its turn, after the wait that failures before it have earned. */
  attempt<Answer extends { readonly status: number }>(
    guess: ThrottledAttempt,
    look: () => Promise<Answer>,
  ): Promise<Answer>;
  /** Who takes payments, nobody unless it is set up, and from how much to how much. */
  payments(): { readonly provider: PaymentProvider | undefined; readonly amountMin: Nano; readonly amountMax: Nano };
  /** Asks the provider behind an upstream whether it works; nothing if there is no such upstream, or it cannot be used. */
  test(upstream: string): Promise<ProbeReport | undefined>;
}

/** How long bodies are kept, how much of each, and with what they are sealed. */
interface BodyTerms {
  readonly keep: number;
  readonly maxBytes: number;
  readonly secret?: string | undefined;
}

/** Something that was sent and may be a guess. */
interface ThrottledAttempt {
  /** On whose behalf; one after another is looked at. */
  readonly name: string;
  readonly address: string;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** What the process knows of itself. */
export interface SystemFacts {
  readonly process: { readonly id: string; readonly startedAt: number };
  /** When this build was made. */
  readonly build: string;
  /** The configuration file it runs by, without its folder; `undefined`: it runs on defaults. */
  readonly file: string | undefined;
  /** What that file, or the defaults, say of the catalog. */
  readonly resources: readonly Resource[];
}
