import { z } from 'zod';

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
    .max(codeUnitsMax, `must be written with at most ${codeUnitsMax} code units`)
    .overwrite((text) => text.normalize('NFC').trim().replace(/\s+/gu, ' '))
    .refine((text) => visible.test(text), 'must have a character that one can see')
    .refine((text) => !forbidden.test(text), 'must not have control characters or ones that turn the direction of text')
    .refine((text) => charactersOf(text) <= charactersMax, `must have at most ${charactersMax} characters`);
}

function charactersOf(text: string): number {
  return [...segmenter.segment(text)].length;
}
