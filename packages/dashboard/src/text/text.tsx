import { showNotification } from '@mantine/notifications';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import { fill } from './fill.ts';
import type { Pair, ValuesOf } from './strings.ts';
import { type Language, rememberLanguage } from './language.ts';
import { type Texts as Sections, textsIn } from './texts.ts';
import { rememberedTimeZone, rememberTimeZone } from './time-zone.ts';

/** The key of a text, as `section.key`. */
export type TextKey = { [S in keyof Sections]: `${S}.${keyof Sections[S] & string}` }[keyof Sections];

type PairAt<K extends TextKey> = K extends `${infer S extends keyof Sections}.${infer Name}`
  ? Name extends keyof Sections[S]
    ? Sections[S][Name] extends Pair
      ? Sections[S][Name]
      : never
    : never
  : never;

/** Keys of texts without placeholders. */
export type FixedTextKey = { [K in TextKey]: keyof ValuesOf<PairAt<K>> extends never ? K : never }[TextKey];

/** Returns the text of a key in the language of the user. */
export type Translate = <K extends TextKey>(
  key: K,
  ...values: keyof ValuesOf<PairAt<K>> extends never ? [] : [ValuesOf<PairAt<K>>]
) => string;

interface Text {
  readonly t: Translate;
  /** All texts of the language. Errors are rendered from them by their reason. */
  readonly texts: Sections;
  readonly language: Language;
  readonly setLanguage: (language: Language) => void;
  /** The time zone in which all times are shown and entered. */
  readonly timeZone: string;
  readonly setTimeZone: (zone: string) => void;
}

const TextContext = createContext<Text | undefined>(undefined);

/** The initial language of the pages, and its texts. */
export interface InitialLanguage {
  readonly language: Language;
  readonly texts: Sections;
}

export function TextProvider({ first, children }: { readonly first: InitialLanguage; readonly children: ReactNode }) {
  const [{ language, texts }, setCurrent] = useState(first);
  const [timeZone, setTimeZone] = useState(rememberedTimeZone);
  useEffect(() => {
    document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  }, [language]);
  const text = useMemo<Text>(
    () => ({
      language,
      texts,
      t: (key, ...[values]) => fill(pairAt(texts, key), language, values ?? {}),
      setLanguage: (chosen) => {
        textsIn(chosen).then(
          (loaded) => {
            rememberLanguage(chosen);
            setCurrent({ language: chosen, texts: loaded });
          },
          () => showNotification({ color: 'red', message: fill(texts.common.unreachable, language, {}) }),
        );
      },
      timeZone,
      setTimeZone: (chosen) => {
        rememberTimeZone(chosen);
        setTimeZone(chosen);
      },
    }),
    [language, texts, timeZone],
  );
  return <TextContext value={text}>{children}</TextContext>;
}

/** Returns `t('section.key', { values })`, the language and the time zone. Throws outside `TextProvider`. */
export function useText(): Text {
  const text = useContext(TextContext);
  if (!text) throw new Error('useText is called outside TextProvider.');
  return text;
}

function pairAt(texts: Sections, key: TextKey): Pair {
  const [section = '', name = ''] = key.split('.');
  const strings: Record<string, Readonly<Record<string, Pair>>> = texts;
  const pair = strings[section]?.[name];
  if (!pair) throw new Error(`No text has the key ${key}.`);
  return pair;
}
