import type { Document, YAMLError } from 'yaml';
import type { LocatedProblem } from './problem.ts';
import { broken, type BrokenRule } from 'chat-formats/reasons/reason.ts';

/** One syntax error causes many others after it, so only the first is reported. */
export function syntaxProblems(
  document: Document,
  text: string,
  positionAt: (offset: number) => Pick<LocatedProblem, 'line' | 'column'>,
): LocatedProblem[] {
  const all: readonly YAMLError[] = [...document.errors, ...document.warnings];
  const doubled = all.filter((error) => error.code === 'DUPLICATE_KEY');
  const first = all.filter((error) => error.code !== 'DUPLICATE_KEY').slice(0, 1);
  return [...first, ...doubled].map((error): LocatedProblem => {
    const position = positionAt(error.pos[0]);
    const lineText = text.split('\n')[position.line - 1] ?? '';
    return { ...position, path: '', ...syntaxText(error, lineText) };
  });
}

function syntaxText(error: YAMLError, lineText: string): BrokenRule & { fix: string } {
  if (error.code === 'DUPLICATE_KEY') return { ...broken('duplicate_name'), fix: 'Keep one of the two.' };
  if (error.code === 'TAB_AS_INDENT') return { ...broken('tab_indentation'), fix: 'Indent with spaces.' };
  if (error.code === 'MULTIPLE_DOCS') {
    return { ...broken('several_documents'), fix: 'Remove this line and the document that does not belong here.' };
  }
  const rule = broken('yaml_syntax', { problem: error.message });
  // A `{` ends an unquoted value inside a flow collection. The parser's message does not explain this.
  if (/[[{].*[^"']\$\{/.test(lineText)) return { ...rule, fix: 'Put quotes around each "${NAME}" inside { } or [ ].' };
  return { ...rule, fix: 'Check indentation, colons and quotes here and on the line before.' };
}

/** The problem of a valid YAML text that cannot be converted to data. */
export function unreadable(error: unknown): LocatedProblem {
  const isTooDeep = error instanceof RangeError;
  return {
    line: 1,
    column: 1,
    path: '',
    ...broken(isTooDeep ? 'nested_too_deeply' : 'wrong_aliases'),
    fix: isTooDeep ? 'Use fewer levels.' : 'Write repeated parts out, or check that every *alias has its &anchor.',
  };
}
