import { z } from 'zod';
import { breaks } from './wording.ts';

/** Control characters, halves of characters, line breaks, and what turns the direction of the text around it. */
const forbidden = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\uFEFF]/u;
/** Something one can see: marks, joiners and spaces alone are no text. */
const visible = /[^\p{C}\p{M}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

/** A character may be piled up of any number of marks, so there is a bound on what it is written with too. */
const codeUnitsPerCharacter = 8;

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });

/**
 * What people are called, or call something: in any script, with spaces and emoji. It is shown and never looked up by, so it
 * need not be unique. The same name is written in the same way, however it was typed.
 */
export const displayName = shownText(64);

/** One paragraph that says what something is. */
export const description = shownText(500);

/** Text of one line that is shown as it is, of so many characters as people count them: what they see as one is one. */
function shownText(charactersMax: number) {
  const codeUnitsMax = charactersMax * codeUnitsPerCharacter;
  return z
    .string()
    .max(codeUnitsMax, breaks('too_many_code_units', { max: codeUnitsMax }))
    .overwrite((text) => text.normalize('NFC').trim().replace(/\s+/gu, ' '))
    .refine((text) => visible.test(text), breaks('not_visible'))
    .refine((text) => !forbidden.test(text), breaks('control_characters'))
    .refine((text) => charactersOf(text) <= charactersMax, breaks('text_too_long', { max: charactersMax }));
}

function charactersOf(text: string): number {
  return [...segmenter.segment(text)].length;
}
