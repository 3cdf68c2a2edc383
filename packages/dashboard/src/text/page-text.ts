import { fill } from './fill.ts';
import type { Strings, ValuesOf } from './strings.ts';
import { useText } from './text.tsx';

/** Returns a text of a page by its key. */
export type PageTranslate<Texts extends Strings> = <K extends keyof Texts & string>(
  key: K,
  ...values: keyof ValuesOf<Texts[K]> extends never ? [] : [ValuesOf<Texts[K]>]
) => string;

/** Texts that load with their page. `useText` has those of the first load, for the frame and for several pages. */
export function usePageText<Texts extends Strings>(texts: Texts): PageTranslate<Texts> {
  const { language } = useText();
  return (key, ...[values]) => fill(texts[key] ?? ['', ''], language, values ?? {});
}
