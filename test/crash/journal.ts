import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** One call as the provider recorded it. A real provider would bill it. */
export interface Delivery {
  /** The tag of the client's request. */
  readonly tag: string;
  readonly call: number;
  readonly promptTokens: number;
  /** Tokens written to the connection. The gateway cannot have received more. */
  readonly completionTokens: number;
  /** Whether the closing frames were sent, with or without usage. */
  readonly isComplete: boolean;
  readonly hasReportedUsage: boolean;
}

type Line = { readonly call: number; readonly tag: string } & (
  | { readonly event: 'called' }
  | ({ readonly event: 'ended' } & Omit<Delivery, 'call' | 'tag'>)
);

/** Used by the provider. Each line is written to the file before the provider continues. */
export function journalWriter(file: string): (line: Line) => void {
  return (line) => appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/** The contents of the journal, for the checks. */
export interface Journal {
  readonly calls: number;
  /** Calls that have not ended yet. */
  readonly open: number;
  /** By tag. More than one if the gateway retried. */
  readonly deliveries: ReadonlyMap<string, readonly Delivery[]>;
}

export function readJournal(file: string): Journal {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const lines = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);
  const ended = lines.filter((line) => line.event === 'ended');
  const calls = lines.length - ended.length;
  return { calls, open: calls - ended.length, deliveries: Map.groupBy(ended, ({ tag }) => tag) };
}
