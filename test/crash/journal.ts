import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** What the provider did for one call, in its own words: what it could send a bill for. */
export interface Delivery {
  /** Which client's request it was for. */
  readonly tag: string;
  readonly call: number;
  readonly promptTokens: number;
  /** Tokens handed to the connection: the gateway cannot have seen more. */
  readonly completionTokens: number;
  /** Whether the closing frames were sent, with the usage or without it. */
  readonly isWhole: boolean;
  readonly hasToldUsage: boolean;
}

type Line = { readonly call: number; readonly tag: string } & (
  | { readonly event: 'called' }
  | ({ readonly event: 'ended' } & Omit<Delivery, 'call' | 'tag'>)
);

/** The provider's end. Every line is on its way to the disk before the provider goes on. */
export function journalWriter(file: string): (line: Line) => void {
  return (line) => appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/** The checkers' end. */
export interface Journal {
  readonly calls: number;
  /** Calls that have not ended yet. */
  readonly open: number;
  /** By tag; more than one where the gateway asked again. */
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
