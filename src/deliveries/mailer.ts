import type { Kysely } from 'kysely';
import { readersOf } from '../accounts/readers.ts';
import { type Language, languageAt } from '../accounts/users.ts';
import type { SecretVault } from '../catalog/secret-vault.ts';
import type { SiteSpec } from '../config/site.ts';
import type { Clock } from '../core/clock.ts';
import { type OutboxEvent, eventKinds } from '../core/outbox-event.ts';
import type { Database } from '../store/database.ts';
import { hasEventText, type Subject } from './email-templates.ts';
import { writeEmail } from './email.ts';
import type { MailSettings } from './mail.ts';
import { postEmail } from './post-email.ts';

/** A letter that somebody wants sent. */
export interface EmailOrder {
  readonly to: string;
  readonly subject: Subject;
  /** Where its link leads, below the address of the dashboard. */
  readonly path: string;
  /** Where whoever has it sent reached the gateway. */
  readonly address?: { readonly host: string; readonly url: string };
  readonly accountId?: string | undefined;
  readonly noticeId?: string;
  /** What the reader said they read, where they are not known here yet. */
  readonly language?: Language | undefined;
}

interface MailerParts {
  readonly clock: Clock;
  readonly vault: SecretVault;
  /** Nothing: there is no mail here. */
  readonly settings: () => MailSettings | undefined;
  /** The site that a host selects. */
  readonly siteAt: (host: string) => Pick<SiteSpec, 'domains' | 'title'> | undefined;
  readonly currency: () => string;
}

/** Writes letters and puts them into the post. Without `mail` in the configuration it does nothing. */
export class Mailer {
  readonly #parts: MailerParts;

  constructor(parts: MailerParts) {
    this.#parts = parts;
  }

  get settings(): MailSettings | undefined {
    return this.#parts.settings();
  }

  /** What amounts are in. */
  get currency(): string {
    return this.#parts.currency();
  }

  /** Belongs into the transaction of what the letter is about. Says whether it was taken. */
  async post(db: Kysely<Database>, order: EmailOrder): Promise<boolean> {
    const { settings } = this;
    if (!settings) return false;
    const { to, subject, path, address, accountId, noticeId } = order;
    const { brand, url } = this.#brandAndUrl(settings, address);
    const language = order.language ?? (await languageAt(db, to));
    const languages = language === undefined ? settings.languages : [language];
    const email = writeEmail({ to, subject, languages, brand, link: `${url.replace(/\/+$/, '')}${path}` });
    const { clock, vault } = this.#parts;
    return postEmail({ db, clock, vault }, email, { accountId, ...(noticeId !== undefined && { noticeId }) });
  }

  /** Letters about something that happened: to those its owners chose or the owners themselves, or to those the operator names. */
  async tell(db: Kysely<Database>, event: OutboxEvent): Promise<void> {
    const { settings } = this;
    const { kind, accountId } = event;
    if (!settings || !hasEventText(kind)) return;
    const isAccountEvent = eventKinds[kind] === 'account' && accountId !== undefined;
    const recipients = isAccountEvent ? await readersOf(db, accountId) : settings.operators;
    const account = isAccountEvent ? await accountName(db, accountId) : undefined;
    const subject: Subject = { kind: 'event', event, account, currency: this.currency };
    const path = isAccountEvent ? '/app/overview' : '/app/operator/alerts';
    for (const to of recipients) await this.post(db, { to, subject, path, accountId, noticeId: event.id });
  }

  /**
   * The brand and address the reader knows. A host that a request names counts only if a site lists it by name: anybody can
   * write anything into `Host`, and must not have our letters lead there.
   */
  #brandAndUrl(settings: MailSettings, address: EmailOrder['address']) {
    const { siteAt } = this.#parts;
    const host = address && hostOf(address.host);
    const site = host === undefined ? undefined : siteAt(host);
    if (address && site?.domains.some((domain) => domain.toLowerCase() === host))
      return { brand: site.title, url: address.url };
    return { brand: siteAt(hostOf(new URL(settings.url).host))?.title ?? 'Chat Gateway', url: settings.url };
  }
}

function hostOf(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '');
}

async function accountName(db: Kysely<Database>, accountId: string): Promise<string | undefined> {
  const accounts = db.selectFrom('accounts').select(['name', 'display_name']).where('id', '=', accountId);
  const row = await accounts.executeTakeFirst();
  return row?.display_name ?? row?.name;
}
