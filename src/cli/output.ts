import Table from 'cli-table3';
import type { Command } from 'commander';
import colors from 'picocolors';
import { GatewayError } from '../core/gateway-error.ts';
import { type FieldProblem, reasonOfCase } from '../core/reasons/reason.ts';
import { fillIn, type Names, type Params } from '../core/reasons/text.ts';
import { type CliReason, cliReasons, didYouMean } from './reasons.ts';

/** A failure the operator can act on. Its texts are those of its row in `cliReasons`. */
export class CliError<Code extends CliReason = CliReason> extends Error {
  readonly reason: Code;
  readonly params: Params;
  readonly next: string | undefined;
  /** 1: it did not work. 2: it was asked for in the wrong way. */
  readonly exitCode: 1 | 2;

  constructor(reason: Code, ...[given = {}, options = {}]: CliErrorArguments<Code>) {
    const { closest, exitCode = 1, cause } = options;
    const params: Params = closest === undefined ? given : { ...given, closest };
    const row: { readonly text: string; readonly next?: string } = cliReasons[reason];
    super(fillIn(row.text, params), { cause });
    this.name = 'CliError';
    this.reason = reason;
    this.params = params;
    const next = closest === undefined ? row.next : didYouMean;
    this.next = next === undefined ? undefined : fillIn(next, params);
    this.exitCode = exitCode;
  }
}

interface CliErrorOptions {
  readonly exitCode?: 1 | 2;
  /** A name that was probably meant; it is proposed instead of the row's next step. */
  readonly closest?: string | undefined;
  readonly cause?: unknown;
}

/** Params are required exactly where the row has names in braces. */
type CliErrorArguments<Code extends CliReason> = [ParamNames<Code>] extends [never]
  ? [params?: Readonly<Record<string, never>>, options?: CliErrorOptions]
  : [params: Readonly<Record<ParamNames<Code>, string | number>>, options?: CliErrorOptions];

type ParamNames<Code extends CliReason> = Names<TextsOf<(typeof cliReasons)[Code]>>;

type TextsOf<Row> = Extract<Row[keyof Row], string>;

/** Prints one JSON document if `--json` was given, and the text for people otherwise. */
export function answer(command: Command, forms: { json: unknown; text: () => string }): void {
  console.log(wantsJson(command) ? JSON.stringify(forms.json, null, 2) : forms.text());
}

export function wantsJson(command: Command): boolean {
  return command.optsWithGlobals<{ json?: boolean }>().json === true;
}

/** A value to show: plain, or with a colour of ours. Either way nothing in the text itself reaches the terminal as a command. */
export type Cell = string | { readonly text: string; readonly paint: (text: string) => string };

/** Columns under headings, without lines, cut where a value would fill the screen. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[], charactersMax = 48): string {
  const grid = new Table({ ...plain, head: head.map((title) => colors.dim(title.toUpperCase())) });
  grid.push(...rows.map((row) => row.map((cell) => rendered(cell, charactersMax))));
  return trimmed(grid);
}

/** One thing, a line a property; properties without a value are left out. */
export function details(rows: readonly (readonly [label: string, value: Cell | undefined])[]): string {
  const grid = new Table(plain);
  for (const [label, cell] of rows) {
    if (cell !== undefined) grid.push([colors.dim(label), rendered(cell, 1000)]);
  }
  return trimmed(grid);
}

/** Says what went wrong on stderr, in the form that was asked for, and returns the exit status. */
export function reportFailure(error: unknown, isJson: boolean): number {
  const { message, next, reason, params, problems } = failureOf(error);
  if (isJson)
    console.error(JSON.stringify({ error: { message, next: next ?? null, reason, params, problems } }, null, 2));
  else console.error([`${colors.red('error')} ${message}`, next].filter((line) => line !== undefined).join('\n'));
  return error instanceof CliError ? error.exitCode : 1;
}

export interface Failure {
  readonly message: string;
  readonly next: string | undefined;
  /** Why, for programs. */
  readonly reason: string;
  readonly params: Params;
  /** Fields that break rules, if any do. */
  readonly problems?: readonly Pick<FieldProblem, 'field' | 'reason' | 'params' | 'fix'>[];
}

/** What went wrong, and what to do about it. */
export function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  return { message, next: nextStep(error), ...reasonOf(error) };
}

function reasonOf(error: unknown): Omit<Failure, 'message' | 'next'> {
  if (error instanceof GatewayError) {
    const usual = error.problems.length > 0 ? 'invalid_fields' : reasonOfCase(error.case);
    const problems = error.problems.map(({ field, reason, params, fix }) => ({ field, reason, params, fix }));
    return {
      reason: error.reason?.code ?? usual,
      params: error.reason?.params ?? {},
      ...(problems.length > 0 && { problems }),
    };
  }
  return hasReason(error) ? { reason: error.reason, params: error.params } : { reason: 'internal_error', params: {} };
}

/** Also the failure of a worker, which comes from another process. */
function hasReason(error: unknown): error is Pick<Failure, 'reason' | 'params'> {
  return error instanceof Error && 'reason' in error && typeof error.reason === 'string' && 'params' in error;
}

/** Other layers say what to do as `fix`. */
function nextStep(error: unknown): string | undefined {
  if (error instanceof CliError) return error.next;
  return error instanceof Error && 'fix' in error && typeof error.fix === 'string' ? error.fix : undefined;
}

const lineParts = ['top', 'bottom', 'left', 'right', 'mid', 'middle'].flatMap((line) =>
  ['', '-mid', '-left', '-right'].map((part) => line + part),
);
const plain = {
  chars: Object.fromEntries(lineParts.map((part) => [part, ''])),
  style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
};

/** Names in the request log were chosen by clients: they must not be able to move the cursor or fill the screen. */
function rendered(cell: Cell, charactersMax: number): string {
  const { text, paint } = typeof cell === 'string' ? { text: cell, paint: String } : cell;
  const line = text.replace(/\p{C}/gu, '\u{FFFD}');
  return paint(line.length > charactersMax ? `${line.slice(0, charactersMax - 1)}…` : line);
}

function trimmed(grid: Table.Table): string {
  const lines = grid.toString().split('\n');
  return lines.map((line) => line.trimEnd()).join('\n');
}
