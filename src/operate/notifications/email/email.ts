import { fillIn, type Language, namesIn, type Params } from 'chat-formats/reasons/text.ts';
import type { EventData } from '../../../core/outbox-event.ts';
import type { DigestFigures } from './figures.ts';
import {
  digestPhrases,
  type EmailedEvent,
  type EmailTemplate,
  openDashboard,
  pauseReasons,
  templates,
  unknownAddress,
} from './templates.ts';

export interface Email {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A template and its values: names and figures, but no secret. A one-time link is passed separately. */
export type Subject =
  | { readonly kind: 'invitation'; readonly by: string; readonly to: string }
  | { readonly kind: 'reset' | 'forgot' | 'test' | 'confirm' | 'known' | 'address' }
  | NewLocation
  | DigestSubject
  | {
      readonly kind: EmailedEvent;
      readonly data: EventData;
      readonly account: string | undefined;
      readonly currency: string;
    };

interface NewLocation {
  readonly kind: 'new-location';
  readonly address: string;
  readonly browser: string;
  readonly system: string;
  readonly at: string;
}

/** The digest of an account or of the whole gateway, since the previous digest. */
interface DigestSubject {
  readonly kind: 'account-digest' | 'gateway-digest';
  /** Undefined: the whole gateway. */
  readonly account: string | undefined;
  readonly currency: string;
  readonly span: { readonly from: number; readonly to: number; readonly timeZone: string };
  readonly figures: DigestFigures;
}

interface EmailContent {
  readonly to: string;
  readonly subject: Subject;
  readonly languages: readonly Language[];
  /** Title of the site that the recipient uses. */
  readonly brand: string;
  readonly link: string;
}

const subjectMax = 150;
/** The first half of a surrogate pair that `slice` cut in two. */
const halfCharacter = /[\uD800-\uDBFF]$/;

/** Renders an e-mail as text and as simple HTML, one language below the other. */
export function writeEmail({ to, subject, languages, brand, link }: EmailContent): Email {
  const parts = languages.map((language) => textsIn(language, subject, oneLine(brand)));
  return {
    to,
    subject: parts
      .map(({ title }) => oneLine(title))
      .join(' · ')
      .slice(0, subjectMax)
      .replace(halfCharacter, ''),
    text: parts
      .map(({ title, lines, action }) => [title, '', ...lines, '', `${action}: ${link}`].map(oneLine).join('\n'))
      .join('\n\n—\n\n'),
    html: `<!doctype html><meta charset="utf-8">${parts
      .map(
        ({ title, lines, action }) =>
          `<h1>${escaped(title)}</h1>${lines.map((line) => `<p>${escaped(line)}</p>`).join('')}<p><a href="${escaped(link)}">${escaped(action)}</a></p>`,
      )
      .join('<hr>')}`,
  };
}

function textsIn(language: Language, subject: Subject, brand: string) {
  const { [language]: texts, action = openDashboard }: EmailTemplate = templates[subject.kind];
  const valueOf = valuesOf(language, subject, brand);
  const [title = '', ...lines] = texts.flatMap((text) => filled(text, valueOf));
  return { title: `${brand}${language === 'zh' ? '：' : ': '}${title}`, lines, action: action[language] };
}

type ValueOf = (name: string) => string | number | undefined;

/** The text with its values; empty if one of them is undefined. */
function filled(text: string, valueOf: ValueOf): readonly string[] {
  const values = namesIn(text).map((name) => [name, valueOf(name)] as const);
  if (values.some(([, value]) => value === undefined)) return [];
  return [fillIn(text, Object.fromEntries(values) as Params)];
}

function valuesOf(language: Language, subject: Subject, brand: string): ValueOf {
  if ('data' in subject) {
    const { data, account = brand, currency } = subject;
    const values: EventData = { ...data, ...pauseValues(language, subject), account, currency };
    return (name) => String(values[name] ?? '–').slice(0, eventValueMax);
  }
  const values: Readonly<Record<string, string | number | undefined>> =
    'figures' in subject
      ? digestValues(language, subject)
      : subject.kind === 'new-location'
        ? locationValues(language, subject)
        : { ...subject };
  return (name) => values[name];
}

/** The event has a code for its reason; people get a sentence. */
function pauseValues(language: Language, { kind, data }: Extract<Subject, { data: EventData }>): EventData {
  if (kind !== 'top_up.paused') return {};
  return { reason: pauseReasons[language][String(data['reason'])] ?? null };
}

/** Names are shorter; error texts of a provider may be longer. */
const eventValueMax = 300;

function locationValues(language: Language, { address, browser, system, at }: NewLocation) {
  const time = `${at.slice(0, 16).replace('T', ' ')} UTC`;
  return { time, address: address || unknownAddress[language], browser, system };
}

function digestValues(language: Language, { account, currency, span, figures }: DigestSubject) {
  const { from, to, timeZone } = span;
  const [first, last] = [dayAt(from, timeZone), dayAt(to - 1, timeZone)];
  const phrases = digestPhrases[language];
  const models = figures.models.map((each) => phrases.model(each.model, `${each.spent} ${currency}`, each.requests));
  const alerts = figures.alerts.map(({ kind, count }) => `${templates[kind].alert[language]} × ${count}`);
  return {
    ...figures,
    account,
    currency,
    timeZone,
    days: first === last ? first : `${first} – ${last}`,
    models: models.length === 0 ? undefined : models.join(phrases.separator),
    alerts: phrases.alerts(alerts.join(phrases.separator)),
  };
}

/** The date in a time zone, such as `2026-03-01`. */
function dayAt(at: number, timeZone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone }).format(at);
}

/** Users choose names, so a name must not be able to add a header or a line. */
function oneLine(text: string): string {
  return text.replace(/\p{C}+/gu, ' ');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return oneLine(text).replace(/[&<>"']/g, (character) => entities[character] ?? character);
}
