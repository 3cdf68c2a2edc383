import type { Day } from '../../../core/time/calendar-day.ts';
import type { ExplainingReason, ExplainingRequest } from './explaining-requests.ts';
import { type FigureField, figureFields } from 'chat-gateway-figures/invoice/invoice-columns.ts';
import { type Figures, keyName, noFigures, type OwnFigures, type OwnLine, type UsageKey } from './own-usage.ts';

/** A row of a provider's usage export. Figures that it does not have are not compared. */
export interface InvoiceRow extends UsageKey, Partial<Figures> {}

/** The figures of one key. */
interface ComparedLine {
  readonly key: UsageKey;
  readonly invoice: Partial<Figures>;
  readonly own: OwnFigures;
  /** Invoice minus own, of each figure that both sides have. */
  readonly difference: Partial<Figures>;
  /** The figures whose difference is above the tolerance. */
  readonly different: readonly FigureField[];
}

/** The comparison of one key. */
export interface ReconciledLine extends ComparedLine {
  /** Requests that may explain the difference, and how many there are of each reason; empty without a difference. */
  readonly reasons: Readonly<Partial<Record<ExplainingReason, number>>>;
  readonly requests: readonly ExplainingRequest[];
}

/** A tolerance in units of a millionth: 5000 is 0.5 %. */
export type Tolerance = bigint;
export const toleranceOne = 1_000_000n;

/** Whether all rows name a credential. Otherwise the comparison is by day and model only. */
export function isByCredential(rows: readonly InvoiceRow[]): boolean {
  return rows.length > 0 && rows.every(({ credential }) => credential !== undefined);
}

/** The first and the last day of some rows; `undefined` without rows. */
export function daysOf(rows: readonly InvoiceRow[]): { readonly from: Day; readonly to: Day } | undefined {
  const [first, ...others] = rows;
  if (!first) return undefined;
  const start = { from: first.day, to: first.day };
  return others.reduce(({ from, to }, { day }) => ({ from: Math.min(from, day), to: Math.max(to, day) }), start);
}

/**
 * Compares an invoice with the gateway's sums, which must be by credential exactly if the invoice is. The lines are those
 * of both sides, sorted by day, model and credential.
 */
export function reconcile(
  rows: readonly InvoiceRow[],
  ownLines: readonly OwnLine[],
  tolerance: Tolerance,
): readonly ReconciledLine[] {
  const invoice = invoiceLines(rows);
  const own = new Map(ownLines.map((line) => [keyName(line.key), line]));
  const names = new Set([...invoice.keys(), ...own.keys()]);
  const absent = absentFigures(rows);
  const lines = [...names].flatMap((name) => {
    const key = invoice.get(name)?.key ?? own.get(name)?.key;
    return key ? [comparedLine(key, { ...absent, ...invoice.get(name)?.figures }, own.get(name), tolerance)] : [];
  });
  return lines
    .toSorted((one, other) => byKey(one.key, other.key))
    .map((line) => ({ ...line, ...explanationOf(line, own.get(keyName(line.key))) }));
}

/** The sums of all lines, and the difference of each figure that both sides have in every line. */
export function totalsOf(lines: readonly ComparedLine[]): Pick<ComparedLine, 'invoice' | 'own' | 'difference'> {
  const own = lines.reduce((sum, line) => addedFigures(sum, line.own), noFigures);
  const sides = figureFields.map((name) => [name, lines.every((line) => line.difference[name] !== undefined)] as const);
  const sumOf = (side: 'invoice' | 'difference') =>
    Object.fromEntries(
      sides
        .filter(([name, isCompared]) =>
          side === 'invoice' ? lines.some((line) => line.invoice[name] !== undefined) : isCompared,
        )
        .map(([name]) => {
          const sum = lines.reduce((total, line) => total + BigInt(line[side][name] ?? 0), 0n);
          return [name, name === 'cost' ? sum : Number(sum)];
        }),
    ) as Partial<Figures>;
  return { invoice: sumOf('invoice'), own, difference: sumOf('difference') };
}

function addedFigures(one: OwnFigures, other: OwnFigures): OwnFigures {
  const names = Object.keys(noFigures) as (keyof OwnFigures)[];
  // Money is a bigint on both sides, counts are numbers on both.
  const sums = names.map((name) => [name, (one[name] as number) + (other[name] as number)]);
  return Object.fromEntries(sums) as OwnFigures;
}

interface InvoiceLine {
  readonly key: UsageKey;
  readonly figures: Partial<Figures>;
}

/** Adds up the rows of each key: an export may also be by hour, by project or by service level. */
function invoiceLines(rows: readonly InvoiceRow[]): ReadonlyMap<string, InvoiceLine> {
  const byCredential = isByCredential(rows);
  const lines = new Map<string, InvoiceLine>();
  for (const { day, model, credential, input, cached, output, cost } of rows) {
    const key = { day, model, credential: byCredential ? credential : undefined };
    const sum = lines.get(keyName(key))?.figures ?? {};
    const figures = {
      input: added(sum.input, input),
      cached: added(sum.cached, cached),
      output: added(sum.output, output),
      cost: cost === undefined ? sum.cost : (sum.cost ?? 0n) + cost,
    };
    lines.set(keyName(key), { key, figures: definedIn(figures) });
  }
  return lines;
}

/** A key without a row has 0 of each figure that the invoice has. */
function absentFigures(rows: readonly InvoiceRow[]): Partial<Figures> {
  const has = (name: FigureField): boolean => rows.some((row) => row[name] !== undefined);
  return {
    ...(has('input') && { input: 0 }),
    ...(has('cached') && { cached: 0 }),
    ...(has('output') && { output: 0 }),
    ...(has('cost') && { cost: 0n }),
  };
}

function comparedLine(
  key: UsageKey,
  invoice: Partial<Figures>,
  ownLine: OwnLine | undefined,
  tolerance: Tolerance,
): ComparedLine {
  const own = ownLine ? ownFigures(ownLine) : noFigures;
  const difference = definedIn({
    input: subtracted(invoice.input, own.input),
    cached: subtracted(invoice.cached, own.cached),
    output: subtracted(invoice.output, own.output),
    cost: invoice.cost === undefined || !hasCost(own) ? undefined : invoice.cost - own.cost,
  });
  const different = figureFields.filter((name) => {
    const distance = difference[name];
    return distance !== undefined && isAbove(BigInt(distance), BigInt(own[name]), tolerance);
  });
  return { key, invoice, own, difference, different };
}

function explanationOf(
  { different, difference }: ComparedLine,
  ownLine: OwnLine | undefined,
): Pick<ReconciledLine, 'reasons' | 'requests'> {
  const isMore = different.some((name) => (difference[name] ?? 0) > 0);
  const explaining = different.length > 0 ? ownLine?.explaining : undefined;
  const explained = { isMore, hasCost: different.includes('cost') };
  return { reasons: explaining?.counts(explained) ?? {}, requests: explaining?.first(explained) ?? [] };
}

function ownFigures({ key: _key, explaining: _explaining, ...figures }: OwnLine): OwnFigures {
  return figures;
}

/** Without a cost of any route, there is none to compare. */
export function hasCost({ answers, answersWithoutCost }: OwnFigures): boolean {
  return answers === 0 || answersWithoutCost < answers;
}

/** Whether the distance from `own` is more than the tolerated part of the larger side. */
function isAbove(distance: bigint, own: bigint, tolerance: Tolerance): boolean {
  const invoiced = own + distance;
  const larger = size(invoiced) > size(own) ? size(invoiced) : size(own);
  return size(distance) * toleranceOne > larger * tolerance;
}

function size(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function added(sum: number | undefined, value: number | undefined): number | undefined {
  return value === undefined ? sum : (sum ?? 0) + value;
}

function subtracted(invoiced: number | undefined, own: number): number | undefined {
  return invoiced === undefined ? undefined : invoiced - own;
}

function definedIn(figures: { readonly [Name in FigureField]: Figures[Name] | undefined }): Partial<Figures> {
  const { input, cached, output, cost } = figures;
  return {
    ...(input !== undefined && { input }),
    ...(cached !== undefined && { cached }),
    ...(output !== undefined && { output }),
    ...(cost !== undefined && { cost }),
  };
}

function byKey(one: UsageKey, other: UsageKey): number {
  if (one.day !== other.day) return one.day - other.day;
  if (one.model !== other.model) return one.model < other.model ? -1 : 1;
  return (one.credential ?? -1) - (other.credential ?? -1);
}
