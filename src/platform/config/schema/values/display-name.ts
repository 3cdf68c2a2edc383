import { z } from 'zod';
import { breaks } from '../../file/wording.ts';

/** Control characters, lone surrogates, line breaks, and characters that change the text direction. */
const forbidden = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\uFEFF]/u;
/** A visible character: marks, joiners and spaces alone are not enough. */
const visible = /[^\p{C}\p{M}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

/** One character may have any number of combining marks, so the code units are limited too. */
const codeUnitsPerCharacter = 8;

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** In any script, with spaces and emoji. Never looked up, so not unique. Normalised: equal looks, equal texts. */
export const displayName = shownText(64);

/** A description in one paragraph. */
export const description = shownText(500);

/** A line of a name or an address on a billing document. */
export const billingLine = shownText(200);

/** Text of one line that is displayed unchanged. The limit counts graphemes, the characters that a reader sees. */
function shownText(charactersMax: number) {
  const codeUnitsMax = charactersMax * codeUnitsPerCharacter;
  return z
    .string()
    .max(codeUnitsMax, breaks('too_many_code_units', { max: codeUnitsMax }))
    .overwrite((text) => text.normalize('NFC').trim().replace(/\s+/gu, ' '))
    .refine((text) => visible.test(text), breaks('not_visible'))
    .refine((text) => !forbidden.test(text), breaks('control_characters'))
    .refine(
      (text) => [...segmenter.segment(text)].length <= charactersMax,
      breaks('text_too_long', { max: charactersMax }),
    );
}
