import type { Cursor, Parse } from './cursor.ts';
import type { Grammar } from './grammar.ts';

/** If more blanks than this follow an end mark, the model has not ended. */
const blanksMax = 4096;

/** Whether only marks that end answers follow up to the end of the text. Elsewhere they are ordinary words. */
export function* isAllEnds(cursor: Cursor, grammar: Grammar, offset: number): Parse<boolean> {
  let end = offset;
  for (;;) {
    const blanks = yield* cursor.blanks(blanksMax, end);
    if (blanks > blanksMax) return false;
    if (cursor.at + end + blanks === cursor.text.length) return true;
    const more = yield* nextEnd(cursor, grammar, end + blanks);
    if (more === 0) return false;
    end += blanks + more;
  }
}

function* nextEnd(cursor: Cursor, { tries }: Grammar, offset: number): Parse<number> {
  for (const trie of tries) {
    const found = yield* trie.find(cursor, offset);
    const end = found.find(({ items }) => items.some(({ kind }) => kind === 'end-of-text'));
    if (end) return end.length;
  }
  return 0;
}
