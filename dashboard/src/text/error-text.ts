import { errorWords } from './error-words.ts';
import { useText } from './text.tsx';
import type { Told } from './told.ts';

/** What went wrong, in the reader's language. */
export function useErrorText(): (error: Told) => string {
  const { t, language } = useText();
  return (error) => (error.code === 'unreachable' ? t('common.unreachable') : errorWords(error, language));
}
