import type { Pepper } from '../../platform/secrets/key-digest.ts';
import type { Batches } from '../../work/batches/batches.ts';
import type { SecretVault } from '../../platform/secrets/secret-vault.ts';
import type { Snapshot } from '../../money/catalog/snapshot.ts';
import type { Resource } from '../../platform/config/schema/resource.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Seller } from '../../money/documents/billing-document.ts';
import type { PdfThread } from '../../money/documents/pdf/pdf-thread.ts';
import type { Nano } from '../../core/money.ts';
import type { Files } from '../../work/files/files.ts';
import type { Mailer } from '../../operate/notifications/email/mailer.ts';
import type { Exchange } from '../../serving/http/exchange.ts';
import type { PaymentProvider } from '../../money/payments/payment-provider.ts';
import type { Rates } from '../../money/requests/request-rates.ts';
import type { Upstreams } from '../../serving/routing/upstreams.ts';
import type { Store } from '../../platform/store/store.ts';
import type { ProbeReport } from '../../serving/upstreams/providers/probe.ts';
import type { SignedInUser } from './api/caller.ts';
import type { ServiceProcesses } from './system/service-processes.ts';

/**
 * The parts of the running process that the APIs need. Stored data is read through the modules of the lower layers
 * directly, because an interface for each of them would have only one implementation.
 */
export interface AdminParts {
  /** In a write, this is the store inside its transaction. All access must go through it. */
  readonly store: Store;
  readonly clock: Clock;
  readonly pepper: Pepper;
  readonly vault: SecretVault;
  /** The catalog as requests see it now. */
  current(): Pick<Snapshot, 'catalog' | 'version' | 'problems'>;
  /** Reloads the catalog of this process from the store. If that fails, it is retried later. */
  refresh(): Promise<void>;
  currency(): string;
  /** Settings for stored bodies. `undefined`: the configuration does not allow them. */
  storedBodies(): BodyTerms | undefined;
  readonly files: Pick<Files, 'within' | 'content'>;
  readonly batches: Pick<Batches, 'within'>;
  /** Whether deliveries to this URL would always be refused, as far as a quick check can tell. For accounts. */
  isWebhookRefused(url: string): Promise<boolean>;
  readonly mail: Pick<Mailer, 'post' | 'settings'>;
  messagesPrefix(): string;
  readonly upstreams: Pick<Upstreams, 'report' | 'queues'>;
  /** Current load of all processes that listen on this address. */
  readonly figures: () => {
    readonly requests: number;
    readonly retries: { readonly inUse: number; readonly limit: number };
    readonly rates: Rates;
  };
  /** The shares of all processes at the upstreams. */
  readonly sharing: () => Promise<ServiceProcesses>;
  system(): SystemFacts;
  /** The user who is signed in to the dashboard, for requests without a token. */
  readonly signedIn: (exchange: Exchange) => Promise<SignedInUser | undefined>;
  /** Runs `look` for a possible guess, one at a time, after a delay that grows with earlier failures. */
  attempt<Answer extends { readonly status: number }>(
    guess: GuardedAttempt,
    look: () => Promise<Answer>,
  ): Promise<Answer>;
  /** The payment provider, if one is configured, and the limits of a payment. */
  payments(): { readonly provider: PaymentProvider | undefined; readonly amountMin: Nano; readonly amountMax: Nano };
  /** The seller that documents name. */
  seller(): Seller | undefined;
  readonly pdf: Pick<PdfThread, 'render'>;
  /** Probes the provider of an upstream. `undefined`: the upstream does not exist or cannot be used. */
  test(upstream: string): Promise<ProbeReport | undefined>;
}

/** How long bodies are kept, in milliseconds, how much of each, and the secret that encrypts them. */
interface BodyTerms {
  readonly keep: number;
  readonly maxBytes: number;
  readonly secret?: string | undefined;
}

interface GuardedAttempt {
  /** Attempts with the same name run one after another. */
  readonly name: string;
  readonly address: string;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

export interface SystemFacts {
  readonly process: { readonly id: string; readonly startedAt: number };
  readonly build: string;
  /** Name of the configuration file, without its folder. `undefined`: the process runs on defaults. */
  readonly file: string | undefined;
  readonly resources: readonly Resource[];
}
