import { withModelNames } from './batch-refusals.ts';
import { type FieldLabels, labelOf } from './field-labels.ts';
import type { Language } from './language.ts';
import type { Told } from './told.ts';

/** Chinese words for what the gateway says in English: only those who read Chinese load them, with their texts. */
let chinese: ((error: Told, labels: FieldLabels) => string | undefined) | undefined;

/** Has the words for errors at hand before the first of them is shown. */
export async function loadErrorWords(language: Language): Promise<void> {
  if (language === 'zh') chinese = (await import('./chinese-errors.ts')).chineseError;
}

/**
 * What went wrong, in a language. The gateway speaks English, and the contract has one message begin in Chinese: so
 * English readers are told what it said but for that one, others what it means.
 */
export function errorWords(error: Told, language: Language, labels: FieldLabels = {}): string {
  if (language === 'zh') return chinese?.(error, labels) ?? error.message;
  if (error.code === 'access_denied') return 'The model does not exist, or this key may not use it.';
  return withModelNames(error.message).replace(namedField, (named, quoted: string | undefined, bare: string) => {
    const label = labelOf(quoted ?? bare, labels);
    return label === undefined ? named : `“${label}”`;
  });
}

/** How the gateway names a field: in backticks, or bare in a list of what is wrong with an entry. */
const namedField = /`([^`]+)`|(?<=[:;] )([\w.[\]-]+)(?= )/g;
