import { type FieldLabels, labelOf } from './error-text.ts';
import { fill } from './fill.ts';
import type { Language } from './language.ts';
import type { Strings } from './strings.ts';

/** Texts about two changes to one document. They load with the first conflict. */
export const conflictTexts = {
  changedTo: ['{field} to {value}', '“{field}”改为“{value}”'],
  more: ['{count} more', '另外 {count} 项'],
  none: ['none', '无'],
  on: ['on', '开启'],
  off: ['off', '关闭'],
  kept: ['{who} changed {fields}; this is kept.', '{who} 将{fields}，该更改已保留。'],
  keptUnknown: ['Changed since you opened the form and kept: {fields}.', '打开表单后的以下更改已保留：{fields}。'],
  keptOwn: ['You changed {fields} in another tab or session; this is kept.', '您在其他页面将{fields}，该更改已保留。'],
  saved: ['Saved. {kept}', '已保存。{kept}'],
  title: ['Both of you changed the same fields', '同一字段有两处修改'],
  titleUnknown: ['These fields were changed meanwhile', '以下字段已被修改'],
  titleOwn: ['You changed the same fields elsewhere', '您在其他页面修改了同一字段'],
  text: [
    '{who} saved these fields ({time}). Choose a value for each, then save again.',
    '{who} 保存了以下字段（{time}），请逐项选择后再次保存。',
  ],
  textOwn: [
    'You saved these fields in another tab or session ({time}). Choose a value for each, then save again.',
    '您在其他页面保存了以下字段（{time}），请逐项选择后再次保存。',
  ],
  textUnknown: [
    'These fields were changed after you opened the form. Choose a value for each, then save again.',
    '打开表单后，以下字段已被修改，请逐项选择后再次保存。',
  ],
  field: ['Field', '字段'],
  yours: ['Your value', '您的值'],
  theirs: ['Saved value', '已保存的值'],
} as const satisfies Strings;

/** The writers of the newer version, and the time of the last write. */
export interface NewerVersion {
  /** As in the audit log. Empty if unknown. */
  readonly actors: readonly string[];
  readonly at: string | undefined;
}

/** Whether the user wrote the newer version, for example in another tab. */
export function isOwnChange({ actors }: NewerVersion, email: string): boolean {
  return actors.length > 0 && actors.every((actor) => actor === email);
}

interface Change {
  readonly path: string;
  readonly value: unknown;
}

interface Wording {
  readonly language: Language;
  readonly labels: FieldLabels;
  readonly valueText?: ((path: string, value: unknown) => string | undefined) | undefined;
  readonly newer: NewerVersion;
  readonly email: string;
}

const namedMax = 3;

/** A sentence about the changes of the other side that were taken over. Undefined if there are none. */
export function keptSentence(taken: readonly Change[], wording: Wording): string | undefined {
  if (taken.length === 0) return undefined;
  const { language, newer, email } = wording;
  const named = taken.slice(0, namedMax).map((change) =>
    fill(conflictTexts.changedTo, language, {
      field: labelOf(change.path, wording.labels) ?? change.path,
      value: valueTextOf(change, wording),
    }),
  );
  const more = taken.length - named.length;
  if (more > 0) named.push(fill(conflictTexts.more, language, { count: more }));
  const fields = named.join(language === 'zh' ? '、' : ', ');
  if (newer.actors.length === 0) return fill(conflictTexts.keptUnknown, language, { fields });
  if (isOwnChange(newer, email)) return fill(conflictTexts.keptOwn, language, { fields });
  return fill(conflictTexts.kept, language, { fields, who: newer.actors.join(', ') });
}

/** A value of a field as text. */
export function valueTextOf({ path, value }: Change, wording: Pick<Wording, 'language' | 'valueText'>): string {
  const own = wording.valueText?.(path, value);
  if (own !== undefined) return own;
  if (typeof value === 'boolean') return fill(value ? conflictTexts.on : conflictTexts.off, wording.language, {});
  const text = plainText(value);
  return text === '' ? fill(conflictTexts.none, wording.language, {}) : text;
}

function plainText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(plainText).join(', ');
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([name, inner]) => `${name} ${plainText(inner)}`)
      .join(', ');
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}
