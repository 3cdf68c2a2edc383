import { showNotification } from '@mantine/notifications';
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react';
import type { Pair, ValuesOf } from './strings.ts';
import { fill } from './fill.ts';
import { type Language, rememberLanguage } from './language.ts';
import { textsIn, type Texts as Sections } from './texts.ts';
import { rememberedTimeZone, rememberTimeZone } from './time-zone.ts';

/** Every text there is, as `section.key`. */
export type TextKey = { [S in keyof Sections]: `${S}.${keyof Sections[S] & string}` }[keyof Sections];

type PairAt<K extends TextKey> = K extends `${infer S extends keyof Sections}.${infer Name}`
  ? Name extends keyof Sections[S]
    ? Sections[S][Name] extends Pair
      ? Sections[S][Name]
      : never
    : never
  : never;

/** Texts without a value between braces, which need nothing but their key. */
export type PlainKey = { [K in TextKey]: keyof ValuesOf<PairAt<K>> extends never ? K : never }[TextKey];

/** The text of a key in the viewer's language. */
export type Translate = <K extends TextKey>(
  key: K,
  ...values: keyof ValuesOf<PairAt<K>> extends never ? [] : [ValuesOf<PairAt<K>>]
) => string;

interface Text {
  readonly t: Translate;
  /** Every text of the language; errors are rendered from them by their reasons. */
  readonly texts: Sections;
  readonly language: Language;
  readonly setLanguage: (language: Language) => void;
  /** The zone that every time is written and typed in. */
  readonly timeZone: string;
  readonly setTimeZone: (zone: string) => void;
}

const TextContext = createContext<Text | undefined>(undefined);

/** The language that pages begin to speak in, and its texts. */
export interface Spoken {
  readonly language: Language;
  readonly texts: Sections;
}

export function TextProvider({ first, children }: { readonly first: Spoken; readonly children: ReactNode }) {
  const [{ language, texts }, setSpoken] = useState(first);
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
            setSpoken({ language: chosen, texts: loaded });
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

/** `t('section.key', { values })` and the language it speaks. */
export function useText(): Text {
  const text = useContext(TextContext);
  if (!text) throw new Error('useText is called outside TextProvider.');
  return text;
}

function pairAt(texts: Sections, key: TextKey): Pair {
  const [section = '', name = ''] = key.split('.');
  const strings: Record<string, Readonly<Record<string, Pair>>> = texts;
  const pair = strings[section]?.[name];
  if (!pair) throw new Error(`There is no text ${key}.`);
  return pair;
}
