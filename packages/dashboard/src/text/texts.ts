import type { sections } from '../strings/index.ts';
import type { Language } from './language.ts';

/** All sections of texts. In a loaded module, only one language is filled in. */
export type Texts = typeof sections;

/** Loads the texts of one language. A user reads one language, so the build generates a file for each. */
export async function textsIn(language: Language): Promise<Texts> {
  const loaded: { readonly sections: unknown } =
    language === 'zh'
      ? await import('../strings/index.ts?language=zh')
      : await import('../strings/index.ts?language=en');
  return loaded.sections as Texts;
}
