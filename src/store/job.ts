/** One statement in the words of both engines, the same for any number of rows: each connection prepares it once. */
export interface SqlStatement {
  /** What a connection to PostgreSQL remembers it by. */
  readonly name: string;
  readonly sqlite: string;
  readonly postgres: string;
}

/** A statement that reads or deletes what is named: its parameter is a JSON text with lists of names. */
interface ReadStatement {
  readonly statement: SqlStatement;
  readonly parameter: string;
}

/**
 * A statement that writes rows, each a list of fields. PostgreSQL takes all of them as one JSON text. SQLite takes one
 * after another: beside the database that costs a third of what JSON does.
 */
interface WriteStatement {
  readonly statement: WritingStatement;
  readonly rows: readonly (readonly FieldValue[])[];
}

export interface WritingStatement extends SqlStatement {
  /** Whether it says which rows it has written: as `written`, by their first fields. */
  readonly tells: boolean;
}

/** A statement to be run, and with what. */
export type JobStatement = ReadStatement | WriteStatement;

export type Row = Readonly<Record<string, string | number | null>>;

/** What comes of a job, and what is still to be written for it, whose rows nobody reads. */
export interface JobEnding<Result> {
  readonly last: readonly JobStatement[];
  readonly result: Result;
}

/**
 * A job as it goes on: it says what to ask, and goes on with the rows of each. Whoever runs it is free to run it at one
 * go beside the database, or to send all that is asked at once over a network.
 */
export type Steps<Result> = Generator<readonly JobStatement[], JobEnding<Result>, readonly (readonly Row[])[]>;

/**
 * Work for one transaction. Another thread finds it by the module that exports it and its name there, so the module must
 * load fast, and what goes in and out must survive a message.
 */
export interface Job<Input, Result> extends JobName {
  steps(input: Input): Steps<Result>;
  /** For a job that is sent often: its input as text, which is far cheaper to send than objects are. */
  readonly packing?: Packing<Input>;
}

export interface JobName {
  readonly module: string;
  readonly name: string;
}

interface Packing<Input> {
  pack(input: Input): string;
  unpack(text: string): Input;
}

/** A job with its input. */
export interface Task {
  steps(): Steps<unknown>;
  sent(): SentTask;
}

/** A task as another thread gets it. */
export interface SentTask extends JobName {
  /** Packed, if its job knows how to. */
  readonly input: unknown;
}

export function taskOf<Input, Result>(job: Job<Input, Result>, input: Input): Task {
  const { module, name, packing } = job;
  return {
    steps: () => job.steps(input),
    sent: () => ({ module, name, input: packing ? packing.pack(input) : input }),
  };
}

/** The same task on the other side. */
export function receivedTask<Input>(job: Job<Input, unknown>, input: unknown): Task {
  return taskOf(job, job.packing ? job.packing.unpack(input as string) : (input as Input));
}

/** Several tasks as one, in one order from the first statement to the last: no two processes can wait for each other. */
export function* together(tasks: readonly Task[]): Steps<readonly unknown[]> {
  const all = tasks.map((task) => task.steps());
  let turns = all.map((steps) => steps.next());
  while (turns.some(({ done }) => !done)) {
    const asked = turns.map((turn) => (turn.done ? [] : turn.value));
    const rows = yield asked.flat();
    let from = 0;
    turns = all.map((steps, index) => {
      const turn = turns[index];
      if (!turn || turn.done) return turn ?? steps.next();
      const own = rows.slice(from, from + turn.value.length);
      from += turn.value.length;
      return steps.next(own);
    });
  }
  const endings = turns.flatMap((turn) => (turn.done ? [turn.value] : []));
  return { last: endings.flatMap(({ last }) => last), result: endings.map(({ result }) => result) };
}

/** A statement for these rows; without rows there is nothing to ask. Money must be text: JSON has no exact numbers. */
export function asks(statement: WritingStatement, rows: WriteStatement['rows']): readonly JobStatement[] {
  return rows.length === 0 ? [] : [{ statement, rows }];
}

export type FieldValue = string | number | null;

/** The one parameter that PostgreSQL gets. */
export function postgresParameter(ask: JobStatement): string {
  return 'rows' in ask ? jsonText(ask.rows) : ask.parameter;
}

/** What SQLite runs, in order: each its parameters, and what is told if it has written something. */
export function sqliteRuns(ask: JobStatement): readonly SqliteRun[] {
  if (!('rows' in ask)) return [{ parameters: [ask.parameter] }];
  const { tells } = ask.statement;
  return ask.rows.map((parameters) =>
    tells ? { parameters, told: { written: parameters[0] ?? null } } : { parameters },
  );
}

interface SqliteRun {
  readonly parameters: readonly FieldValue[];
  readonly told?: Row;
}

/** JSON that both engines take: neither NUL nor half a character, which PostgreSQL has no place for. */
export function jsonText(value: object): string {
  const text = JSON.stringify(value);
  return unstorable.test(text) ? JSON.stringify(value, storable) : text;
}

const unstorable = /\\u(?:0000|d[89a-f])/;

function storable(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? storableText(value) : value;
}

/** The text with a sign in place of what PostgreSQL cannot hold. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\u{FFFD}');
}
