import type { Pepper } from '../../platform/secrets/key-digest.ts';
import type { Catalog } from '../../money/catalog/catalog.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Mailer } from '../../operate/notifications/email/mailer.ts';
import type { Store } from '../../platform/store/store.ts';
import type { PasswordCost } from './passwords.ts';
import type { OidcProvider } from './sign-in-library.ts';

export interface ConsoleParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly pepper: Pepper;
  /** The sign-in library signs cookies and encrypts second factors with it. */
  readonly sessionSecret: string;
  current(): { readonly catalog: Catalog; readonly version: string };
  settings(): ConsoleSettings;
  /** Sends nothing if no mail server is configured. */
  readonly mail: Pick<Mailer, 'settings' | 'post'>;
  /** Waits, until the client disconnects at most. */
  readonly pause: Pause;
  /** Replaces the default hashing cost. */
  readonly passwordCost?: PasswordCost | undefined;
  /** Reports internal errors to operators. */
  readonly onError: (message: string) => void;
}

export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

export interface ConsoleSettings {
  readonly supportEmail: string | undefined;
  readonly currency: string;
  readonly messagesPrefix: string;
  readonly oidc: OidcProvider | undefined;
}
