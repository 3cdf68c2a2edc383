/** One statement for both engines. Its text does not depend on the number of rows, so it is prepared once. */
export interface SqlStatement {
  /** Name of the prepared statement on a PostgreSQL connection. */
  readonly name: string;
  readonly sqlite: string;
  readonly postgres: string;
}

/** A statement that reads or deletes the named rows. Its parameter is a JSON text with lists of names. */
interface ReadStatement {
  readonly statement: SqlStatement;
  readonly parameter: string;
}

/** Writes rows. PostgreSQL takes them as one JSON text; SQLite runs once per row, at a third of the cost. */
interface WriteStatement {
  readonly statement: WritingStatement;
  readonly rows: readonly (readonly FieldValue[])[];
}

export interface WritingStatement extends SqlStatement {
  /** Whether it returns the rows it has written: the first field of each, as `written`. */
  readonly returnsWritten: boolean;
}

export type JobStatement = ReadStatement | WriteStatement;

export type Row = Readonly<Record<string, string | number | null>>;

/** The result of a job, and the last statements to run for it. The job does not read their rows. */
export interface JobEnding<Result> {
  readonly last: readonly JobStatement[];
  readonly result: Result;
}

/** Yields statements and continues with their rows. The runner may send all statements of a step at once. */
export type Steps<Result> = Generator<readonly JobStatement[], JobEnding<Result>, readonly (readonly Row[])[]>;

/** For one transaction. The thread finds it by module and name, loads it at the start, and clones its input. */
export interface Job<Input, Result> extends JobName {
  steps(input: Input): Steps<Result>;
  /** For a job that is sent often: its input as text, which is far cheaper to send to the thread. */
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

export interface Task {
  steps(): Steps<unknown>;
  sent(): SentTask;
}

export interface SentTask extends JobName {
  /** Packed, if the job has `packing`. */
  readonly input: unknown;
}

export function taskOf<Input, Result>(job: Job<Input, Result>, input: Input): Task {
  const { module, name, packing } = job;
  return {
    steps: () => job.steps(input),
    sent: () => ({ module, name, input: packing ? packing.pack(input) : input }),
  };
}

/** Rebuilds a task from its message in the worker thread. */
export function receivedTask<Input>(job: Job<Input, unknown>, input: unknown): Task {
  return taskOf(job, job.packing ? job.packing.unpack(input as string) : (input as Input));
}

/** Merges tasks into one. The order of their statements is fixed, so two processes cannot deadlock. */
export function* together(tasks: readonly Task[]): Steps<readonly unknown[]> {
  const all = tasks.map((task) => task.steps());
  let results = all.map((steps) => steps.next());
  while (results.some(({ done }) => !done)) {
    const statements = results.map((result) => (result.done ? [] : result.value));
    const rows = yield statements.flat();
    let from = 0;
    results = all.map((steps, index) => {
      const result = results[index];
      if (!result || result.done) return result ?? steps.next();
      const own = rows.slice(from, from + result.value.length);
      from += result.value.length;
      return steps.next(own);
    });
  }
  const endings = results.flatMap((result) => (result.done ? [result.value] : []));
  return { last: endings.flatMap(({ last }) => last), result: endings.map(({ result }) => result) };
}

/** A statement for these rows, or none if there are no rows. Money must be text, because JSON numbers are not exact. */
export function statementsFor(statement: WritingStatement, rows: WriteStatement['rows']): readonly JobStatement[] {
  return rows.length === 0 ? [] : [{ statement, rows }];
}

export type FieldValue = string | number | null;

export function postgresParameter(jobStatement: JobStatement): string {
  return 'rows' in jobStatement ? jsonText(jobStatement.rows) : jobStatement.parameter;
}

/** JSON that both engines accept. PostgreSQL can store neither NUL nor an unpaired surrogate. */
export function jsonText(value: object): string {
  const text = JSON.stringify(value);
  return unstorable.test(text) ? JSON.stringify(value, storable) : text;
}

const unstorable = /\\u(?:0000|d[89a-f])/;

function storable(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? storableText(value) : value;
}

/** Replaces the characters that PostgreSQL cannot store with U+FFFD. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\u{FFFD}');
}
