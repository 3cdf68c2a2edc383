import type { sections } from '../strings/index.ts';
import { loadErrorWords } from './error-words.ts';
import type { Language } from './language.ts';

/** Every section of texts. As they are loaded, only one language has words in it. */
export type Texts = typeof sections;

/** The texts of one language. A reader reads one, so the build makes a file of each. */
export async function textsIn(language: Language): Promise<Texts> {
  const sections: Promise<{ readonly sections: unknown }> =
    language === 'zh' ? import('../strings/index.ts?language=zh') : import('../strings/index.ts?language=en');
  const [loaded] = await Promise.all([sections, loadErrorWords(language)]);
  return loaded.sections as Texts;
}
