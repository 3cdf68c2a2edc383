import { assert, property, string, stringMatching } from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { expect, test } from 'vitest';
import { pieceCharactersMax, tokenPieces } from './token-pieces.ts';

const pieces = (text: string) => [...tokenPieces(text)];

test('pieces are short and concatenate to the text', () => {
  const holds = (text: string): void => {
    const cut = pieces(text);
    expect(cut.join('')).toBe(text);
    expect(cut.every((piece) => piece.length > 0 && piece.length <= pieceCharactersMax)).toBe(true);
  };
  assert(property(string({ unit: 'binary', maxLength: 2000, size: 'max' }), holds), { numRuns: 20 });
  assert(property(stringMatching(/^[ab ]{0,5000}$/), holds), { numRuns: 20 });
});

test('no character is split', () => {
  const cut = pieces(`a${'😀'.repeat(2000)}`);
  expect(cut.every((piece) => piece.isWellFormed())).toBe(true);
});

test('prose has the same token count in pieces and as a whole', () => {
  const prose = 'A queue that is fair gives each account its turn, however many requests another one sends. '.repeat(
    50,
  );
  const inPieces = pieces(prose).reduce((sum, piece) => sum + countTokens(piece), 0);
  expect(inPieces).toBe(countTokens(prose));
});
