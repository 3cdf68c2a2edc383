import { colors } from '../colors.ts';
import { decimalText } from '../../core/money.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import type { ImportResult } from '../../manage/import/apply-plan.ts';
import type { Outcome } from '../../manage/import/apply-items.ts';
import type { ImportSum } from '../../manage/import/sums.ts';
import { type Finding, findingText, type ItemKind } from 'chat-gateway-import/findings.ts';
import type { ImportPlan, PlannedAccount, PlannedKey } from 'chat-gateway-import/plan.ts';
import { followNote } from '../terminal/notes.ts';
import { type Cell, table } from '../terminal/output.ts';
import { localText } from '../terminal/time-text.ts';

/** A plan and what became of it. */
export interface ImportRound {
  readonly source: string;
  readonly plan: ImportPlan;
  readonly result: ImportResult;
}

/** The sections of a plan, which are also the titles of their kinds. */
const sections = {
  organisation: 'organisations',
  account: 'accounts',
  user: 'users',
  key: 'keys',
  package: 'packages',
  upstream: 'upstreams',
  model: 'models',
} as const satisfies Readonly<Record<ItemKind, keyof ImportPlan>>;

const kinds = Object.entries(sections) as [ItemKind, string][];

const outcomes: readonly Outcome[] = ['created', 'changed', 'unchanged', 'kept', 'retired', 'left_out'];
const rowsShown = 50;
const examplesShown = 5;

export function importText({ source, plan, result }: ImportRound, isApplied: boolean): string {
  const { findings } = result;
  const decisions = findings.filter(({ severity }) => severity === 'decision').length;
  return [
    countTable(result.outcomes),
    accountTable(plan),
    keyTable(plan),
    findingsText(findings),
    sumTable(result.sums),
    isApplied
      ? `Imported from ${source}. ${followNote}`
      : `Nothing was changed. ${decisions} findings need a decision. Run the command again with --apply to import.`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** A further round, with the findings that the round before did not have. */
export function laterRound(round: ImportRound, before: ImportRound): ImportRound {
  const known = new Set(before.result.findings.map(findingKey));
  const findings = round.result.findings.filter((each) => !known.has(findingKey(each)));
  return { ...round, result: { ...round.result, findings } };
}

/** Amounts in these findings change with every request. */
const ofSpend: ReadonlySet<Finding['code']> = new Set(['amount_rounded', 'keys_spent_more', 'spend_not_booked']);

function findingKey({ code, subject, params }: Finding): string {
  return JSON.stringify([code, subject.kind, subject.sourceId, ofSpend.has(code) ? {} : params]);
}

/** The text of one further round. `undefined`: the source did not change, and nothing new was found. */
export function roundText({ result }: ImportRound, now: number): string | undefined {
  const isChanged = Object.values(result.outcomes).some((each) => [...each.values()].some(isChange));
  if (!isChanged && result.findings.length === 0) return undefined;
  const parts = [localText(now), countTable(result.outcomes), findingsText(result.findings)];
  return parts.filter((part) => part !== '').join('\n');
}

function isChange(outcome: Outcome): boolean {
  return outcome !== 'unchanged' && outcome !== 'left_out' && outcome !== 'kept';
}

function countTable(applied: ImportRound['result']['outcomes']): string {
  const rows = kinds.flatMap(([kind, title]): Cell[][] => {
    const all = [...applied[kind].values()];
    if (all.length === 0) return [];
    const counts = outcomes.map((outcome) => String(all.filter((each) => each === outcome).length));
    return [[title, ...counts.map((count) => (count === '0' ? '' : count))]];
  });
  return table(['', ...outcomes.map((outcome) => outcome.replace('_', ' '))], rows);
}

function accountTable({ accounts }: ImportPlan): string {
  const row = (account: PlannedAccount): Cell[] => [
    account.name,
    account.billing,
    account.packageName,
    account.limits
      .map(({ amount, period, spent }) => `${decimalText(spent)} of ${decimalText(amount)} (${period})`)
      .join(', '),
    decimalText(account.balance),
    account.status,
  ];
  return shownRows(['account', 'billing', 'package', 'spent of limit', 'balance', 'status'], accounts, row);
}

function keyTable({ keys, accounts }: ImportPlan): string {
  const names = new Map(accounts.map(({ sourceId, name }) => [sourceId, name]));
  const row = (key: PlannedKey): Cell[] => [
    key.name,
    names.get(key.account) ?? '',
    key.models?.join(', ') ?? 'all of its account',
    `${decimalText(key.spentInPeriod ?? key.spent)}${key.spendCap === undefined ? '' : ` of ${decimalText(key.spendCap)} (${key.capPeriod ?? 'total'})`}`,
    key.expiresAt === undefined ? 'never' : localText(key.expiresAt),
    key.status,
  ];
  return shownRows(['key', 'account', 'models', 'spent of cap', 'expires', 'status'], keys, row);
}

function shownRows<Item>(head: readonly string[], items: readonly Item[], row: (item: Item) => Cell[]): string {
  if (items.length === 0) return '';
  const more = items.length > rowsShown ? `\n… and ${items.length - rowsShown} more; --json prints all` : '';
  return table(head, items.slice(0, rowsShown).map(row)) + more;
}

const severities: readonly (readonly [Finding['severity'], string, (text: string) => string])[] = [
  ['decision', 'Needs a decision', colors.yellow],
  ['lost', 'Not taken', colors.red],
  ['guessed', 'Guessed', colors.yellow],
  ['info', 'Taken in another form', colors.dim],
];

function findingsText(findings: readonly Finding[]): string {
  const parts = severities.flatMap(([severity, title, paint]) => {
    const some = findings.filter((each) => each.severity === severity);
    if (some.length === 0) return [];
    const byCode = [...Map.groupBy(some, ({ code }) => code).values()];
    return [[paint(`${title} (${some.length})`), ...byCode.flatMap(codeLines)].join('\n')];
  });
  return parts.join('\n\n');
}

function codeLines(findings: readonly Finding[]): readonly string[] {
  const lines = findings.slice(0, examplesShown).map((each) => `  ${subjectText(each)}: ${plain(findingText(each))}`);
  const more = findings.length - lines.length;
  return more > 0 ? [...lines, `  … and ${more} more like this; --json prints all`] : lines;
}

function subjectText({ subject }: Finding): string {
  return plain(`${subject.kind} ${subject.sourceId}`);
}

/** Names of the source must not move the cursor. */
function plain(text: string): string {
  return text.replace(/\p{C}/gu, '\u{FFFD}');
}

function sumTable({ balances, spend }: ImportRound['result']['sums']): string {
  const row = (title: string, { source, leftOut, booked }: ImportSum): Cell[] => [
    title,
    decimalText(source),
    decimalText(leftOut),
    decimalText(booked),
  ];
  return table(['sum in USD', 'source', 'left out', 'booked'], [row('balances', balances), row('spend', spend)]);
}

/** Without secrets: a `Secret` is never part of it. */
export function importDocument({ source, plan, result }: ImportRound, isApplied: boolean): object {
  const items = kinds.map(([kind, title]) => [
    title,
    [...result.outcomes[kind]].map(([sourceId, outcome]) => ({
      source_id: sourceId,
      outcome,
      ...named(plan, kind, sourceId),
    })),
  ]);
  const sum = ({ source: from, leftOut, booked }: ImportSum) => ({
    source: decimalText(from),
    left_out: decimalText(leftOut),
    booked: decimalText(booked),
  });
  return {
    source,
    applied: isApplied,
    ...(Object.fromEntries(items) as object),
    findings: result.findings.map((each) => ({
      severity: each.severity,
      code: each.code,
      params: each.params,
      subject: { kind: each.subject.kind, source_id: each.subject.sourceId },
      text: findingText(each),
    })),
    sums: { balances: sum(result.sums.balances), spend: sum(result.sums.spend) },
  };
}

function named(plan: ImportPlan, kind: ItemKind, sourceId: string): object {
  const items: readonly { readonly sourceId: string }[] = plan[sections[kind]];
  const found = items.find((each) => each.sourceId === sourceId);
  if (!found) return {};
  if ('spec' in found) return found.spec as object;
  // Secrets print as `[hidden]`, amounts as decimals.
  const text = JSON.stringify(found, (field, value: unknown) => {
    if (field === 'sourceId' || field === 'secret' || field === 'password') return undefined;
    return typeof value === 'bigint' ? decimalText(value) : value;
  });
  return ownJson(text) as object;
}
