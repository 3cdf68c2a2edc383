import { isBlank, type Parse } from './cursor.ts';
import { JsonCopy } from '../../core/json/json-copy.ts';
import { passJsonString } from './json-text.ts';
import type { MarkupCursor } from './reading.ts';

/** The destination of a call's arguments, and the marks that end them if their brackets never close. */
interface ArgumentsTarget {
  readonly write: (json: string) => void;
  readonly closes: readonly string[];
}

/**
 * Copies the value at the cursor as arguments. Copies an object unchanged, unpacks a string that contains one, and
 * writes `{}` for nothing.
 */
export function* readArguments(reading: MarkupCursor, { write, closes }: ArgumentsTarget): Parse<void> {
  const { cursor } = reading;
  if (!(yield* cursor.more())) return;
  const first = cursor.text.charAt(cursor.at);
  if (first === '{' || first === '[') yield* copy(reading, { write, closes });
  else if (first === '"') yield* unpack(reading, write);
  else {
    const word = yield* cursor.run(isScalar, scalarMax);
    write(word === '' || word === 'null' ? '{}' : word);
  }
}

function* copy(reading: MarkupCursor, { write, closes }: ArgumentsTarget): Parse<void> {
  const { cursor } = reading;
  const json = new JsonCopy({ repair: reading.repair });
  while (!json.isDone && (yield* cursor.more())) {
    const before = cursor.at;
    cursor.at = json.take(cursor.text, cursor.at, write);
    cursor.steps += cursor.at - before + 1;
    if (json.isDone || cursor.isDrained) continue;
    if ((yield* cursor.seesAny(closes)) !== undefined) break;
    cursor.at++;
    json.takeStray(write);
  }
  if (!cursor.isDrained || reading.endsNaturally()) json.close(write);
  if (json.hasRepaired) reading.repaired();
}

function* unpack({ cursor }: MarkupCursor, write: (json: string) => void): Parse<void> {
  let isEmpty = true;
  yield* passJsonString(cursor, (piece) => {
    isEmpty &&= piece.trim() === '';
    write(piece);
  });
  if (isEmpty) write('{}');
}

const scalarMax = 256;

function isScalar(code: number): boolean {
  return !isBlank(code) && code !== 44 && code !== 125 && code !== 93 && code !== 60;
}
