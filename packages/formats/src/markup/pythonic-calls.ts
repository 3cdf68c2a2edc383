import { type Cursor, isNameCharacter, type Parse } from './cursor.ts';
import { coerce } from './coerce.ts';
import { partSchema, propertyNames, valueTypes } from './offered-tools.ts';
import { passPython, passPythonString } from './python-literal.ts';
import { type MarkupEngine, nameMax, type MarkupCursor, separatedCalls } from './reading.ts';

export interface PythonicCalls {
  /** Calls are in a list; otherwise one after the other. */
  readonly list: boolean;
  readonly closes: readonly string[];
  /** A word after the name that is not part of it. */
  readonly suffix?: string;
  /** Every value is written as a string, and the schema determines its type. */
  readonly stringsBySchema?: true;
}

export function pythonicCalls(form: PythonicCalls): MarkupEngine {
  return function* read(reading) {
    const { cursor } = reading;
    yield* cursor.skipBlanks();
    const isList = yield* cursor.eat('[');
    if (form.list && !isList) return false;
    if (isList) yield* cursor.skipBlanks();
    if (!(yield* separatedCalls(cursor, () => readCall(reading, form)))) return false;
    if (isList) yield* cursor.eatAnyAfterBlanks([']']);
    yield* cursor.eatAnyAfterBlanks(form.closes);
    return true;
  };
}

/** The header extends to the first argument's `=`, because a name and a bracket also occur in prose. */
function* readCall(reading: MarkupCursor, form: PythonicCalls): Parse<boolean> {
  const { cursor } = reading;
  const word = yield* cursor.run(isNameCharacter, nameMax);
  const name = form.suffix && word.endsWith(form.suffix) ? word.slice(0, -form.suffix.length) : word;
  if (name === '' || (form.suffix && name === word) || !(yield* cursor.eat('('))) return false;
  yield* cursor.skipBlanks();
  if (yield* cursor.eat(')')) {
    if (!reading.begin({ name })) return false;
    reading.write('{}');
    return true;
  }
  const positions = propertyNames(reading.tools.schema(reading.tools.resolveName(name)));
  const first = yield* readKey(cursor, positions[0]);
  if (first === undefined || !reading.begin({ name })) return false;
  yield* readRest(reading, form, { key: first, name: reading.tools.resolveName(name), positions });
  return true;
}

function* readRest(
  reading: MarkupCursor,
  form: PythonicCalls,
  call: { readonly key: string; readonly name: string; readonly positions: readonly string[] },
): Parse<void> {
  const { cursor, write } = reading;
  let key: string | undefined = call.key;
  let isClosed = false;
  write('{');
  for (let count = 0; key !== undefined && !isClosed; count++) {
    write(`${count > 0 ? ', ' : ''}${JSON.stringify(key)}: `);
    const isComplete = yield* readValue(reading, form, partSchema(reading.tools.schema(call.name), key));
    if (!isComplete) break;
    yield* cursor.skipBlanks();
    isClosed = yield* cursor.eat(')');
    if (isClosed || !(yield* cursor.eat(','))) break;
    isClosed = (yield* cursor.eatAnyAfterBlanks([')'])) !== undefined;
    yield* cursor.skipBlanks();
    if (!isClosed) key = yield* readKey(cursor, call.positions[count + 1]);
  }
  // If the text was cut off, the arguments stay open.
  if (isClosed || !cursor.isDrained || reading.endsNaturally()) write('}');
}

function* readValue(reading: MarkupCursor, form: PythonicCalls, schema: Record<string, unknown>): Parse<boolean> {
  const { cursor, write } = reading;
  const isString = (yield* cursor.seesAny(['"', "'"])) !== undefined;
  const types = valueTypes(schema);
  if (!form.stringsBySchema || !isString || types.size === 0 || types.has('string')) {
    return yield* passPython(cursor, write);
  }
  let text = '';
  const isComplete = yield* passPythonString(cursor, (piece) => {
    text += piece;
  });
  if (isComplete) write(coerce(text, types));
  return isComplete;
}

/** Returns the name of an argument, or `position` for an argument without a name. */
function* readKey(cursor: Cursor, position: string | undefined): Parse<string | undefined> {
  if ((yield* cursor.seesAny(literalStarts)) !== undefined) return position;
  const key = yield* cursor.run(isNameCharacter, nameMax);
  if (key === '' || (yield* cursor.eatAnyAfterBlanks(['='])) === undefined) return undefined;
  yield* cursor.skipBlanks();
  return key;
}

const literalStarts = ['"', "'", '[', '{'];
