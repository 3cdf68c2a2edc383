import { rules } from './chinese-rules.ts';

/** How the gateway names a field: in backticks, or bare in a list of what is wrong with an entry. */
const field = '(?:`(?<quoted>[^`]+)`|(?<=[:;] )(?<bare>[\\w.[\\]-]+)|The body)';

/** Which fields break which rules, in Chinese with the names of the fields; undefined where no rule is known. */
export function brokenRules(message: string): string | undefined {
  const found = new Map<number, string>();
  for (const [rule, chinese] of rules) {
    for (const match of message.matchAll(new RegExp(`${field} ${rule.source}`, 'g'))) {
      if (!found.has(match.index)) found.set(match.index, sentence(match, chinese));
    }
  }
  if (found.size === 0) return undefined;
  return [...found]
    .toSorted(([one], [other]) => one - other)
    .map(([, text]) => text)
    .join('');
}

function sentence(match: RegExpExecArray, chinese: string): string {
  const { quoted, bare } = match.groups ?? {};
  // Before the rule's own groups stand the two of the field.
  const values = match.slice(3);
  const text = chinese.replace(/\{(\d)\}/g, (_braces, index: string) => values[Number(index)] ?? '');
  return `${quoted ?? bare ?? '内容'}：${text.replaceAll('` or `', '` 或 `')}。`;
}
