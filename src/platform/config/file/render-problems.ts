import type { LocatedProblem } from './problem.ts';

/** Problems as readable text: each with its line of the file, a mark under its position, and the fix. */
export function renderProblems(problems: readonly LocatedProblem[], text: string, fileName = 'line'): string {
  const lines = text.split(/\r?\n/);
  return problems.map((problem) => rendered(problem, lines[problem.line - 1] ?? '', fileName)).join('\n\n');
}

const widthMax = 110;

function rendered(problem: LocatedProblem, line: string, fileName: string): string {
  const sentence = problem.path === '' ? problem.message : `${problem.path} ${problem.message}`;
  const number = String(problem.line);
  const margin = ' '.repeat(number.length);
  return [
    `${fileName}:${problem.line}:${problem.column}: ${sentence}`,
    ...(line.trim() === '' ? [] : [` ${number} | ${excerpt(line)}`, ` ${margin} | ${mark(line, problem.column)}`]),
    ` ${margin} = fix: ${problem.fix}`,
  ].join('\n');
}

/** Removes literal secrets, which must not reach a log. References to the environment are not secret. */
function excerpt(line: string): string {
  const shown = line.replace(secretSetting, (written, name: string, value: string) => {
    const literal = value.replace(/\$\{\w+\}|\s#.*$|[\s"'[\]{},]/g, '');
    return literal === '' ? written : `${name}…`;
  });
  return shown.replaceAll('\t', ' ').slice(0, widthMax);
}

const secretSetting = /(\b(?:api_keys?|secret|other_secrets|database)["']?\s*:\s*)(\S.*)/;

function mark(line: string, column: number): string {
  return `${' '.repeat(Math.min(column, line.length + 1, widthMax) - 1)}^`;
}
