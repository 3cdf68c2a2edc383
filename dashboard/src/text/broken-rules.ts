import { type FieldLabels, labelOf } from './field-labels.ts';
import { rules } from './chinese-rules.ts';

/** How the gateway names a field: in backticks, or bare in a list of what is wrong with an entry. */
const field = '(?:`(?<quoted>[^`]+)`|(?<=[:;] )(?<bare>[\\w.[\\]-]+)|The body)';

/** Which fields break which rules, in Chinese with the names of the fields; undefined where no rule is known. */
export function brokenRules(message: string, labels: FieldLabels = {}): string | undefined {
  const found = new Map<number, string>();
  for (const [rule, chinese] of rules) {
    for (const match of message.matchAll(new RegExp(`${field} ${rule.source}`, 'g'))) {
      if (!found.has(match.index)) found.set(match.index, sentence(match, chinese, labels));
    }
  }
  if (found.size === 0) return undefined;
  return [...found]
    .toSorted(([one], [other]) => one - other)
    .map(([, text]) => text)
    .join('');
}

function sentence(match: RegExpExecArray, chinese: string, labels: FieldLabels): string {
  const { quoted, bare } = match.groups ?? {};
  // Before the rule's own groups stand the two of the field.
  const values = match.slice(3);
  const text = chinese.replace(/\{(\d)\}/g, (_braces, index: string) => values[Number(index)] ?? '');
  const named = quoted ?? bare;
  const field = named === undefined ? '内容' : (labelOf(named, labels) ?? named);
  return `${field}：${text.replaceAll('` or `', '` 或 `')}。`;
}
