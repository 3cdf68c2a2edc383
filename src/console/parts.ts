import type { Pepper } from '../accounts/key-digest.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Clock } from '../core/clock.ts';
import type { Mailer } from '../deliveries/mailer.ts';
import type { Store } from '../store/store.ts';
import type { PasswordCost } from './passwords.ts';
import type { OidcProvider } from './sign-in-library.ts';

/** What the dashboard's own endpoints need of the rest of the gateway. */
export interface ConsoleParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly pepper: Pepper;
  /** What the library that signs people in keeps its cookies and second factors with. */
  readonly sessionSecret: string;
  /** The catalog as requests see it now. */
  current(): { readonly catalog: Catalog; readonly version: string };
  settings(): ConsoleSettings;
  /** Writes letters, where there is a mail server. */
  readonly mail: Pick<Mailer, 'settings' | 'post'>;
  /** Waits, unless the client leaves before. */
  readonly pause: Pause;
  /** What a guess at a password is made to cost, if not what is usual. */
  readonly passwordCost?: PasswordCost | undefined;
  /** Tells operators what went wrong inside. */
  readonly onError: (message: string) => void;
}

export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

/** What a reload may change. */
export interface ConsoleSettings {
  readonly supportEmail: string | undefined;
  readonly currency: string;
  readonly messagesPrefix: string;
  readonly oidc: OidcProvider | undefined;
}
