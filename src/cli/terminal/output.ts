import type { Command } from 'commander';
import { colors } from '../colors.ts';
import { columns } from '../columns.ts';
import { InvalidValuesError } from '../../manage/admin/api/sent-values.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { type FieldProblem, reasonOfCase } from 'chat-formats/reasons/reason.ts';
import { fillIn, type Names, type Params } from 'chat-formats/reasons/text.ts';
import { type CliReason, cliReasons, didYouMean } from './reasons.ts';

/** A failure the operator can act on. Its texts are those of its row in `cliReasons`. */
export class CliError<Code extends CliReason = CliReason> extends Error {
  readonly reason: Code;
  readonly params: Params;
  readonly next: string | undefined;
  /** 1: the command failed. 2: the command line was wrong. */
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
  /** The probably intended name. It replaces the row's next step. */
  readonly closest?: string | undefined;
  readonly cause?: unknown;
}

/** Params are required exactly if the row has names in braces. */
type CliErrorArguments<Code extends CliReason> = [ParamNames<Code>] extends [never]
  ? [params?: Readonly<Record<string, never>>, options?: CliErrorOptions]
  : [params: Readonly<Record<ParamNames<Code>, string | number>>, options?: CliErrorOptions];

type ParamNames<Code extends CliReason> = Names<TextsOf<(typeof cliReasons)[Code]>>;

type TextsOf<Row> = Extract<Row[keyof Row], string>;

export function answer(command: Command, forms: { json: unknown; text: () => string }): void {
  console.log(wantsJson(command) ? JSON.stringify(forms.json, null, 2) : forms.text());
}

export function wantsJson(command: Command): boolean {
  return command.optsWithGlobals<{ json?: boolean }>().json === true;
}

/** A value to print, optionally with a colour. Control characters in the text are replaced before printing. */
export type Cell = string | { readonly text: string; readonly paint: (text: string) => string };

/** Renders columns under headings, if any, without borders. Values longer than `charactersMax` are truncated. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[], charactersMax = 48): string {
  const titles = head.map((title) => colors.dim(title.toUpperCase()));
  const lines = rows.map((row) => row.map((cell) => rendered(cell, charactersMax)));
  return columns(head.length === 0 ? lines : [titles, ...lines]);
}

/** Renders one line per property. Properties without a value are omitted. */
export function details(rows: readonly (readonly [label: string, value: Cell | undefined])[]): string {
  const lines = rows.flatMap(([label, cell]) =>
    cell === undefined ? [] : [[colors.dim(label), rendered(cell, 1000)]],
  );
  return columns(lines);
}

export function reportFailure(error: unknown, isJson: boolean): number {
  const { message, next, reason, params, problems } = failureOf(error);
  if (isJson)
    console.error(JSON.stringify({ error: { message, next: next ?? null, reason, params, problems } }, null, 2));
  else console.error([`${colors.red('error')} ${message}`, next].filter((line) => line !== undefined).join('\n'));
  return exitCodeOf(error);
}

/** 1: the command failed. 2: the command line was wrong. */
function exitCodeOf(error: unknown): 1 | 2 {
  if (error instanceof CliError) return error.exitCode;
  if (error instanceof InvalidValuesError) return 2;
  const isUsage = error instanceof GatewayError && reasonsIn(error).some((each) => usageReasons.has(each));
  return isUsage ? 2 : 1;
}

/** Refusals that depend on the options of the command and on the configuration file only. */
const usageReasons: ReadonlySet<string | undefined> = new Set(['bodies_not_allowed', 'period_without_cap', 'zero']);

function reasonsIn({ reason, problems }: GatewayError): readonly (string | undefined)[] {
  return [reason?.code, ...problems.map((problem) => problem.reason)];
}

export interface Failure {
  readonly message: string;
  readonly next: string | undefined;
  readonly reason: string;
  readonly params: Params;
  readonly problems?: readonly Pick<FieldProblem, 'field' | 'reason' | 'params' | 'fix'>[];
}

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

/** Also true for an error of a worker, which was sent by another process. */
function hasReason(error: unknown): error is Pick<Failure, 'reason' | 'params'> {
  return error instanceof Error && 'reason' in error && typeof error.reason === 'string' && 'params' in error;
}

/** Errors of other layers have the next step in `fix`. */
function nextStep(error: unknown): string | undefined {
  if (error instanceof CliError) return error.next;
  return error instanceof Error && 'fix' in error && typeof error.fix === 'string' ? error.fix : undefined;
}

/** Clients choose names in the request log. Such names must not move the cursor or fill the screen. */
function rendered(cell: Cell, charactersMax: number): string {
  const { text, paint } = typeof cell === 'string' ? { text: cell, paint: String } : cell;
  const line = text.replace(/\p{C}/gu, '\u{FFFD}');
  return paint(line.length > charactersMax ? `${line.slice(0, charactersMax - 1)}…` : line);
}
