import type { sections } from '../strings/index.ts';
import type { Language } from './language.ts';

/** Every section of texts. As they are loaded, only one language has words in it. */
export type Texts = typeof sections;

/** The texts of one language. A reader reads one, so the build makes a file of each. */
export async function textsIn(language: Language): Promise<Texts> {
  const loaded: { readonly sections: unknown } =
    language === 'zh'
      ? await import('../strings/index.ts?language=zh')
      : await import('../strings/index.ts?language=en');
  return loaded.sections as Texts;
}
