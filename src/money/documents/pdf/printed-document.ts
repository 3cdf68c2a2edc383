import type { Language } from 'chat-formats/reasons/text.ts';
import { formatted, words } from './document-words.ts';
import { decimalText, type Nano, nanoFrom } from '../../../core/money.ts';
import { type BillingDocument, type DocumentSubject, openAmountOf, type Party } from '../billing-document.ts';

/** The texts of a document in one language, in the order in which they are printed. */
export interface PrintedDocument {
  readonly language: Language;
  readonly title: string;
  readonly number: string;
  readonly issuedAt: number;
  readonly facts: readonly PrintedFact[];
  readonly parties: readonly PrintedParty[];
  readonly columns: readonly [string, string];
  readonly rows: readonly PrintedRow[];
  readonly totals: readonly PrintedRow[];
  readonly notes: readonly string[];
  readonly page: (page: number, pages: number) => string;
}

interface PrintedFact {
  readonly label: string;
  readonly value: string;
}

export interface PrintedParty {
  readonly label: string;
  readonly name: string;
  readonly lines: readonly string[];
}

export interface PrintedRow {
  readonly label: string;
  readonly amount: string;
  /** `strong`: a sum. `inner`: a part of the row above. */
  readonly look?: 'strong' | 'inner';
}

/** The time zone of dates, except on statements, which have their own. */
const zone = 'UTC';

export function printedDocument(document: BillingDocument, language: Language): PrintedDocument {
  const { kind, number, issuedAt, customer, seller, subject } = document;
  const t = words(language);
  const parties = [seller && printedParty(t('seller'), seller), printedParty(t('customer'), customer)];
  return {
    language,
    title: t(kind),
    number,
    issuedAt,
    facts: [
      { label: t('number'), value: number },
      { label: t('issued'), value: formatted(language).date(issuedAt, zone) },
      ...subjectFacts(subject, language),
    ],
    parties: parties.filter((party) => party !== undefined),
    columns: [t('description'), t('amount', { currency: document.currency })],
    rows: rowsOf(document, language),
    totals: [...totalsOf(document, language), ...openAmountRows(document, language)],
    notes: [...notesOf(subject, language), ...(seller?.note === undefined ? [] : [seller.note])],
    page: (page, pages) => t('page', { page: String(page), pages: String(pages) }),
  };

  function printedParty(label: string, party: Party): PrintedParty {
    const { name, address, country, taxNumber, email } = party;
    const tax = taxNumber === undefined ? undefined : t('taxNumber', { number: taxNumber });
    return { label, name, lines: [...address, country, tax, email].filter((line) => line !== undefined) };
  }
}

function subjectFacts(subject: DocumentSubject, language: Language): readonly PrintedFact[] {
  const t = words(language);
  const { date } = formatted(language);
  if ('month' in subject) {
    // The last millisecond: the month ends before the first one of the next.
    const span = `${date(subject.from, subject.timeZone)} – ${date(subject.to - 1, subject.timeZone)}`;
    return [{ label: t('period'), value: `${span} (${subject.timeZone})` }];
  }
  if ('billed' in subject) return [{ label: t('period'), value: subject.billed }];
  if ('paid' in subject) {
    return [
      { label: t('paidOn'), value: date(subject.paidAt, zone) },
      { label: t('paidBy'), value: `${providerName(subject.provider)}, ${subject.paymentId}` },
    ];
  }
  return [{ label: t('receiptOf'), value: subject.receipt }];
}

function providerName(provider: string): string {
  return provider === 'stripe' ? 'Stripe' : provider;
}

function rowsOf({ subject, amount, currency }: BillingDocument, language: Language): readonly PrintedRow[] {
  const t = words(language);
  const { nano } = formatted(language);
  if ('paid' in subject) return [{ label: t(subject.paid), amount: nano(amount, currency) }];
  if ('returned' in subject) {
    return [{ label: t(subject.returned, { receipt: subject.receipt }), amount: nano(amount, currency) }];
  }
  if ('billed' in subject) {
    const charged = subject.accounts.map(({ name, charges }) => ({ name, amount: decimalText(-nanoFrom(charges)) }));
    const { money } = formatted(
      language,
      charged.map((line) => line.amount),
    );
    return charged.map((line) => ({
      label: t('accountOf', { account: line.name }),
      amount: money(line.amount, currency),
    }));
  }
  const { opening, closing, credits, charges, models } = subject;
  const lines = [...credits, ...models].map((line) => line.amount);
  const { money } = formatted(language, [opening, closing, charges, ...lines]);
  return [
    { label: t('opening'), amount: money(opening, currency), look: 'strong' },
    ...credits.map(({ kind, amount: moved }) => ({ label: t(kind), amount: money(moved, currency) })),
    { label: t('charges'), amount: money(charges, currency) },
    ...models.map(({ model, amount: charged }) => ({
      label: model ?? t('otherModels'),
      amount: money(charged, currency),
      look: 'inner' as const,
    })),
    { label: t('closing'), amount: money(closing, currency), look: 'strong' },
  ];
}

function totalsOf({ kind, amount, currency, tax }: BillingDocument, language: Language): readonly PrintedRow[] {
  const t = words(language);
  const { money, nano } = formatted(language);
  const isMonthly = kind === 'statement' || kind === 'bill';
  const label = t(isMonthly ? 'totalCharged' : kind === 'receipt' ? 'totalPaid' : 'totalReturned');
  const total: PrintedRow = { label, amount: nano(amount, currency), look: 'strong' };
  if (!tax) return [total];
  const included = t('taxIncluded', { name: tax.name, rate: tax.rate });
  return [total, { label: included, amount: money(tax.amount, currency) }];
}

/** The amount owed at the end of the month, if there is one. */
function openAmountRows({ subject, currency }: BillingDocument, language: Language): readonly PrintedRow[] {
  const open = openAmountIn(subject);
  if (open === 0n) return [];
  const { nano } = formatted(language);
  return [{ label: words(language)('openAmount'), amount: nano(open, currency), look: 'strong' }];
}

function notesOf(subject: DocumentSubject, language: Language): readonly string[] {
  if (!('month' in subject || 'billed' in subject)) return [];
  return [words(language)(openAmountIn(subject) > 0n ? 'amountDue' : 'nothingDue')];
}

/** The negative closing balance of a statement, or those of the accounts of a bill. */
function openAmountIn(subject: DocumentSubject): Nano {
  if ('billed' in subject) return openAmountOf(subject.accounts);
  return 'month' in subject ? openAmountOf([subject]) : 0n;
}
