import { type RawBuilder, sql } from 'kysely';

const capitals = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/**
 * Whether a column contains a text, ignoring case. `lower` of SQLite knows only ASCII, and that of PostgreSQL depends on
 * the database's collation. So both engines translate the letters that the text can match: those of ASCII, and the
 * capitals of its own letters.
 */
export function contains(column: RawBuilder<unknown>, text: string): RawBuilder<boolean> {
  const folded = foldCase(text.normalize('NFC'));
  const own = [...new Set(folded)].flatMap((letter) => capitalsOf(letter).map((capital) => [capital, letter] as const));
  const from = capitals + own.map(([capital]) => capital).join('');
  const to = capitals.toLowerCase() + own.map(([, letter]) => letter).join('');
  const pattern = `%${folded.replace(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`translate(${column}, ${from}, ${to}) like ${pattern} escape '\\'`;
}

/** Ignores case as `contains` does. */
export function foldCase(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ');
}

function capitalsOf(letter: string): readonly string[] {
  if (letter <= '\x7f') return [];
  const capital = letter.toUpperCase();
  const isPair = capital !== letter && capital.length === 1 && letter.length === 1;
  return [...(isPair ? [capital] : []), ...(letter === 'σ' ? ['ς'] : [])];
}
