import { readFileSync, writeFileSync } from 'node:fs';
import { type SessionInput, type SessionState, sessionTransitions } from '../src/serving/surfaces/answer-session.ts';

export const architectureFile = new URL('../ARCHITECTURE.md', import.meta.url);

const inputs: Readonly<Record<SessionInput, string>> = {
  pass: 'frames for the client',
  finish: 'the provider is done',
  fail: 'the provider, a write or the charge fails',
  clientGone: 'the last reader leaves',
  abort: 'the gateway ends the request',
  tick: 'a timer fires',
};

const start = '<!-- Written by `node scripts/session-docs.ts` from src/serving/surfaces/answer-session.ts. -->\n';
const end = '<!-- The end of that table. -->\n';

/** `ARCHITECTURE.md` with the transition table of the answer session. Run this file to write it. */
export function architectureWithTable(text: string): string {
  const [before, rest] = text.split(start);
  const [, after] = rest?.split(end) ?? [];
  if (before === undefined || after === undefined) throw new Error('ARCHITECTURE.md has lost the marks of the table');
  return `${before}${start}\n${table()}\n\n${end}${after}`;
}

function table(): string {
  const states = Object.keys(sessionTransitions) as SessionState[];
  const rows = (Object.keys(inputs) as SessionInput[]).map((input) => [
    `\`${input}\`: ${inputs[input]}`,
    ...states.map((state) => sessionTransitions[state][input] ?? 'ignored'),
  ]);
  const lines = [['input', ...states.map((state) => `\`${state}\``)], ['---', ...states.map(() => '---')], ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

if (import.meta.main) writeFileSync(architectureFile, architectureWithTable(readFileSync(architectureFile, 'utf8')));
