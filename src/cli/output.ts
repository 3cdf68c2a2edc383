import Table from 'cli-table3';
import type { Command } from 'commander';
import colors from 'picocolors';

/** A failure the operator can act on: what is wrong, and what to do next. */
export class CliError extends Error {
  readonly next: string | undefined;
  /** 1: it did not work. 2: it was asked for in the wrong way. */
  readonly exitCode: 1 | 2;

  constructor(message: string, options: { next?: string; exitCode?: 1 | 2; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'CliError';
    this.next = options.next;
    this.exitCode = options.exitCode ?? 1;
  }
}

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
  const { message, next } = failureOf(error);
  if (isJson) console.error(JSON.stringify({ error: { message, next: next ?? null } }, null, 2));
  else console.error([`${colors.red('error')} ${message}`, next].filter((line) => line !== undefined).join('\n'));
  return error instanceof CliError ? error.exitCode : 1;
}

/** What went wrong, and what to do about it. */
export function failureOf(error: unknown): { readonly message: string; readonly next: string | undefined } {
  return { message: error instanceof Error ? error.message : String(error), next: nextStep(error) };
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
