import { isNameCharacter, type Parse } from './cursor.ts';
import { readArguments } from './json-text.ts';
import { another, type MarkupEngine, headerMax, nameMax, type MarkupCursor } from './reading.ts';

/** A step of a header: a mark, the name or the id, or optional steps. Blanks may separate any two steps. */
type HeadStep = string | Word | { readonly optional: readonly HeadStep[] };

interface Word {
  /** `numbered` is a name with a namespace before it and a number after it. The whole word is the id. */
  readonly word: 'name' | 'id' | 'numbered';
}

export const name: Word = { word: 'name' };
export const id: Word = { word: 'id' };
export const numbered: Word = { word: 'numbered' };
export function maybe(...optional: readonly HeadStep[]): HeadStep {
  return { optional };
}

/** Call format: a header with the name, then a JSON object. */
export interface HeaderCalls {
  readonly begins: readonly string[];
  /** Marks that begin a block of calls. They may be missing. */
  readonly sections?: readonly string[];
  readonly head: readonly HeadStep[];
  readonly ends: readonly string[];
  readonly sectionEnds?: readonly string[];
}

export function headerCalls(form: HeaderCalls): MarkupEngine {
  return function* read(reading) {
    const { cursor, opener } = reading;
    const isSection = form.sections?.includes(opener) ?? false;
    if (isSection && !(yield* cursor.eatAnyAfterBlanks(form.begins))) return false;
    if (!(yield* readCall(reading, form))) return false;
    while (yield* another(cursor, readNext(reading, form))) continue;
    yield* cursor.eatAnyAfterBlanks(form.sectionEnds ?? []);
    return true;
  };
}

function* readNext(reading: MarkupCursor, form: HeaderCalls): Parse<boolean> {
  return (yield* reading.cursor.eatAnyAfterBlanks(form.begins)) !== undefined && (yield* readCall(reading, form));
}

function* readCall(reading: MarkupCursor, form: HeaderCalls): Parse<boolean> {
  const { cursor } = reading;
  const header: { name?: string; id?: string } = {};
  if (!(yield* readHead(reading, form.head, header)) || header.name === undefined) return false;
  yield* cursor.skipBlanks();
  const isComplete = yield* cursor.sees('{');
  if (!isComplete && (yield* cursor.seesAny(form.ends)) === undefined && !(yield* cursor.sees('"'))) return false;
  if (!reading.begin({ name: header.name, id: header.id })) return false;
  yield* readArguments(reading, { write: reading.write, closes: form.ends });
  yield* cursor.eatAnyAfterBlanks(fences);
  yield* cursor.eatAnyAfterBlanks(form.ends);
  return true;
}

const fences = ['```'];

function* readHead(
  reading: MarkupCursor,
  steps: readonly HeadStep[],
  header: { name?: string; id?: string },
): Parse<boolean> {
  const { cursor } = reading;
  for (const step of steps) {
    if (typeof step === 'string') {
      if ((yield* cursor.eatAnyAfterBlanks([step])) === undefined) return false;
    } else if ('optional' in step) {
      const [first] = step.optional;
      const blanks = yield* cursor.blanks();
      if (typeof first !== 'string' || !(yield* cursor.sees(first, blanks))) continue;
      if (!(yield* readHead(reading, step.optional, header))) return false;
    } else {
      yield* cursor.skipBlanks();
      const word = yield* cursor.run(step.word === 'numbered' ? isNumbered : isNameCharacter, headerMax);
      if (word === '') return false;
      keep(header, step, word);
    }
  }
  return true;
}

function keep(header: { name?: string; id?: string }, step: Word, word: string): void {
  if (step.word !== 'name') header.id = word;
  if (step.word === 'name') header.name = word;
  if (step.word === 'numbered') header.name = word.replace(/^functions\./, '').replace(/:\d*$/, '');
  if ((header.name?.length ?? 0) > nameMax) delete header.name;
}

function isNumbered(code: number): boolean {
  return isNameCharacter(code) || code === 58;
}
