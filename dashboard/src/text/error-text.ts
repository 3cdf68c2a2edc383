import { errorWords } from './error-words.ts';
import { useText } from './text.tsx';
import type { FieldLabels } from './field-labels.ts';
import type { Told } from './told.ts';

/** What went wrong, in the reader's language; a form says what it calls the fields. */
export function useErrorText(labels: FieldLabels = {}): (error: Told) => string {
  const { t, language } = useText();
  return (error) => (error.code === 'unreachable' ? t('common.unreachable') : errorWords(error, language, labels));
}
