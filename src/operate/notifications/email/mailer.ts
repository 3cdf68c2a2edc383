import type { Kysely } from 'kysely';
import { ownersOf, readersOf } from '../../../money/accounts/readers.ts';
import { languageAt } from '../../../money/accounts/users.ts';
import type { Language } from 'chat-formats/reasons/text.ts';
import type { SecretVault } from '../../../platform/secrets/secret-vault.ts';
import type { SiteSpec } from '../../../platform/config/schema/site.ts';
import type { Clock } from '../../../core/time/clock.ts';
import { type OutboxEvent, eventKinds } from '../../../core/outbox-event.ts';
import type { Database } from '../../../platform/store/database.ts';
import { type Subject, writeEmail } from './email.ts';
import type { MailSettings } from './smtp.ts';
import { postEmail } from './post-email.ts';
import { isEmailed } from './templates.ts';

/** A request to send an e-mail. */
export interface EmailOrder {
  readonly to: string;
  readonly subject: Subject;
  /** Path of the link, relative to the address of the dashboard. */
  readonly path: string;
  /** Host of the request that causes the e-mail. */
  readonly address?: { readonly host: string };
  readonly accountId?: string | undefined;
  readonly eventId?: string;
  /** If undefined, the language of the user with this address applies. */
  readonly language?: Language | undefined;
}

interface MailerParts {
  readonly clock: Clock;
  readonly vault: SecretVault;
  /** Undefined: no mail server is configured. */
  readonly settings: () => MailSettings | undefined;
  readonly siteAt: (host: string) => Pick<SiteSpec, 'domains' | 'title'> | undefined;
  readonly currency: () => string;
}

/** Renders e-mails and adds them to the outbox. Does nothing without `mail` in the configuration. */
export class Mailer {
  readonly #parts: MailerParts;

  constructor(parts: MailerParts) {
    this.#parts = parts;
  }

  get settings(): MailSettings | undefined {
    return this.#parts.settings();
  }

  get currency(): string {
    return this.#parts.currency();
  }

  /** Call it in the transaction of the change that causes the e-mail. Returns whether the e-mail was accepted. */
  async post(db: Kysely<Database>, order: EmailOrder): Promise<boolean> {
    const { settings } = this;
    if (!settings) return false;
    const { to, subject, path, address, accountId, eventId } = order;
    const { brand, url } = this.#brandAndUrl(settings, address);
    const language = order.language ?? (await languageAt(db, to));
    const languages = language === undefined ? settings.languages : [language];
    const email = writeEmail({ to, subject, languages, brand, link: `${url.replace(/\/+$/, '')}${path}` });
    const { clock, vault } = this.#parts;
    return postEmail({ db, clock, vault }, email, { accountId, eventId });
  }

  /**
   * To the chosen recipients or the owners of the event's account. To the owners of the organisation, if the event is
   * about its limit. All others, and those of an organisation without owners, to `mail.operators`.
   */
  async postEvent(db: Kysely<Database>, event: OutboxEvent): Promise<void> {
    const { settings } = this;
    const { kind, accountId, data } = event;
    if (!settings || !isEmailed(kind)) return;
    const isAccountEvent = eventKinds[kind] === 'account' && accountId !== undefined;
    const account = isAccountEvent ? await accountName(db, accountId) : undefined;
    const order = {
      subject: { kind, data, account, currency: this.currency },
      accountId,
      eventId: event.id,
    };
    const { recipients, path } = isAccountEvent
      ? {
          recipients: await readersOf(db, accountId),
          path: kind === 'top_up.paused' ? '/app/billing' : '/app/overview',
        }
      : await organisationOwners(db, event);
    if (recipients.length > 0 || isAccountEvent) {
      for (const to of recipients) await this.post(db, { ...order, to, path });
    } else for (const to of settings.operators) await this.post(db, { ...order, to, path: '/app/operator/alerts' });
  }

  /**
   * The title and address of the site that the recipient uses. A client can send any `Host` and must not control the
   * links of our e-mails. So only its name counts, if a site lists it; port and scheme are those of `mail.url`.
   */
  #brandAndUrl(settings: MailSettings, address: EmailOrder['address']) {
    const { siteAt } = this.#parts;
    const host = address && hostOf(address.host);
    const site = host === undefined ? undefined : siteAt(host);
    if (address && site?.domains.some((domain) => domain.toLowerCase() === host))
      return { brand: site.title, url: Object.assign(new URL(settings.url), { hostname: host }).href };
    return { brand: siteAt(hostOf(new URL(settings.url).host))?.title ?? 'Chat Gateway', url: settings.url };
  }
}

/** No recipients for an event that is about no organisation. */
async function organisationOwners(db: Kysely<Database>, { data }: OutboxEvent) {
  const { organisation_id: id } = data;
  return { recipients: typeof id === 'string' ? await ownersOf(db, id) : [], path: '/app/organisation' };
}

function hostOf(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '');
}

/** The name of an account that people see. */
export async function accountName(db: Kysely<Database>, accountId: string): Promise<string | undefined> {
  const accounts = db.selectFrom('accounts').select(['name', 'display_name']).where('id', '=', accountId);
  const row = await accounts.executeTakeFirst();
  return row?.display_name ?? row?.name;
}
