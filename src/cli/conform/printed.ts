import { colors } from '../colors.ts';
import { table } from '../terminal/output.ts';
import type { CheckOutcome } from 'chat-gateway-conform/outcome.ts';
import {
  type CheckScore,
  failuresOf,
  type GroupScore,
  type Scorecard,
  totalsOf,
} from 'chat-gateway-conform/scorecard.ts';

/** One group as text: one line per check, and the expected and seen values of each failure. */
export function printedGroup(group: GroupScore): string {
  const lines = group.checks.flatMap(checkLines);
  return [`${colors.bold(group.title)} ${colors.dim(group.name)}`, ...lines, ''].join('\n');
}

/** The table of groups and the summary line. */
export function printedSummary(scorecard: Scorecard): string {
  const rows = scorecard.groups.map((group) => {
    const { pass, fail, skip } = totalsOf([group]);
    const failed = { text: String(fail), paint: fail === 0 ? String : colors.red };
    return [group.name, String(pass), failed, String(skip)];
  });
  return `${table(['group', '✓', '✗', '–'], rows)}\n\n${closingLine(scorecard)}`;
}

function checkLines({ id, title, outcome }: CheckScore): readonly string[] {
  const line = `  ${signOf(outcome)} ${title}`;
  switch (outcome.kind) {
    case 'pass':
      return [line];
    case 'fail':
      return [
        `${line} ${colors.dim(id)}`,
        `      ${colors.dim('expected')} ${safe(outcome.expected)}`,
        `      ${colors.dim('seen')}     ${safe(outcome.seen)}`,
      ];
    case 'skip':
      return [line, `      ${colors.dim(`skipped: ${safe(outcome.reason)}`)}`];
    default:
      return outcome satisfies never;
  }
}

function signOf(outcome: CheckOutcome): string {
  const signs = { pass: colors.green('✓'), fail: colors.red('✗'), skip: colors.yellow('–') };
  return signs[outcome.kind];
}

function closingLine(scorecard: Scorecard): string {
  const { pass, fail, skip } = totalsOf(scorecard.groups);
  const rest = `${pass} passed, ${skip} skipped`;
  const where = `${scorecard.baseUrl}${scorecard.model === undefined ? '' : `, model ${safe(scorecard.model)}`}`;
  if (fail === 0) return `${colors.green('No check failed')}: ${rest} (${where}).`;
  const ids = failuresOf(scorecard).map((check) => check.id);
  return `${colors.red(`${fail} ${fail === 1 ? 'check' : 'checks'} failed`)}: ${ids.join(', ')}. ${rest} (${where}).`;
}

/** Text from a deployment must not move the cursor or change colours. */
function safe(text: string): string {
  return text.replace(/\p{Cc}/gu, '\u{FFFD}');
}
