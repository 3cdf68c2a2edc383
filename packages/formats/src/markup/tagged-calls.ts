import { isNameCharacter, type Parse } from './cursor.ts';
import { partSchema, propertyNames } from './offered-tools.ts';
import { another, type MarkupEngine, headerMax, nameMax, type MarkupCursor } from './reading.ts';
import { readNested, readTaggedValue } from './tagged-value.ts';

/** Call format: tags, one around each call and one around each argument. */
export interface TaggedCalls {
  /** The beginnings of an opening and a closing tag, in all spellings, and the end of both. */
  readonly lead: readonly string[];
  readonly closeLead: readonly string[];
  readonly end: string;
  /** Marks around calls. They may be missing. */
  readonly wrappers: readonly string[];
  readonly wrapperCloses: readonly string[];
  /** Marks between the wrapper and a call. */
  readonly before?: readonly string[];
  readonly head: CallHead;
  readonly parameter: ParameterHead;
  /** One newline on either side of a value belongs to the format and is removed. */
  readonly trim?: true;
}

/** Location of the tool's name: in its own tag, or as text after the wrapper. */
type CallHead =
  | { readonly tag: RegExp; readonly close: string }
  | { readonly body: true; readonly separators: readonly string[]; readonly closes: readonly string[] };

/** Location of an argument's name: in its tag, in a tag before its value, or as the tag itself. */
type ParameterHead =
  | { readonly tag: RegExp; readonly start: string; readonly close: string }
  | {
      readonly key: readonly string[];
      readonly keyClose: readonly string[];
      readonly value: readonly string[];
      readonly close: readonly string[];
    }
  | { readonly tagIsName: true };

interface Parameter {
  readonly key: string;
  /** The encoding of the value, if the tag states it. */
  readonly as?: 'string' | 'json';
}

export function taggedCalls(form: TaggedCalls): MarkupEngine {
  const marks = marksOf(form);
  return function* read(reading) {
    const { cursor, opener } = reading;
    const isWrapped = form.wrappers.includes(opener);
    if (!(yield* readCall(reading, form, marks, isWrapped))) return false;
    while (yield* another(cursor, readNext(reading, form, marks))) continue;
    while ((yield* cursor.eatAnyAfterBlanks(form.wrapperCloses)) !== undefined) continue;
    return true;
  };
}

interface Marks {
  readonly callCloses: readonly string[];
  readonly parameterStarts: readonly string[];
  readonly parameterCloses: readonly string[];
  /** Marks that end a value whose own close is missing. */
  readonly softCloses: readonly string[];
}

function marksOf(form: TaggedCalls): Marks {
  const { head, parameter, closeLead, lead, end } = form;
  const closing = (name: string): readonly string[] => closeLead.map((start) => start + name + end);
  const callCloses = 'tag' in head ? closing(head.close) : head.closes;
  const parameterStarts =
    'key' in parameter ? parameter.key : lead.map((start) => start + ('tag' in parameter ? parameter.start : ''));
  const parameterCloses =
    'key' in parameter ? parameter.close : 'tag' in parameter ? closing(parameter.close) : closeLead;
  return { callCloses, parameterStarts, parameterCloses, softCloses: [...parameterStarts, ...callCloses] };
}

function* readNext(reading: MarkupCursor, form: TaggedCalls, marks: Marks): Parse<boolean> {
  const { cursor } = reading;
  yield* cursor.eatAnyAfterBlanks(form.wrapperCloses);
  const wrapper = yield* cursor.eatAnyAfterBlanks(form.wrappers);
  const isMarked =
    wrapper !== undefined || (yield* cursor.seesAny(form.before ?? [], yield* cursor.blanks())) !== undefined;
  if ('body' in form.head && !isMarked) return false;
  return yield* readCall(reading, form, marks, true);
}

function* readCall(reading: MarkupCursor, form: TaggedCalls, marks: Marks, isWrapped: boolean): Parse<boolean> {
  const { cursor } = reading;
  for (const mark of form.before ?? []) yield* cursor.eatAnyAfterBlanks([mark]);
  const head = yield* readHead(reading, form);
  if (head === undefined) return false;
  const blanks = yield* cursor.blanks();
  const isEmpty = (yield* cursor.seesAny(marks.callCloses, blanks)) !== undefined;
  const hasParameter =
    !isEmpty &&
    !(yield* seesClose(reading, form, blanks)) &&
    (yield* cursor.seesAny(marks.parameterStarts, blanks)) !== undefined;
  if (!isEmpty && !hasParameter) return false;
  const isSure = isWrapped && (hasParameter || head.isSure);
  if (!reading.begin({ name: head.name, isSure })) return false;
  yield* readParameters(reading, form, marks, reading.tools.resolveName(head.name));
  return true;
}

function* seesClose({ cursor }: MarkupCursor, form: TaggedCalls, offset: number): Parse<boolean> {
  return 'tagIsName' in form.parameter && (yield* cursor.seesAny(form.closeLead, offset)) !== undefined;
}

function* readHead(
  { cursor }: MarkupCursor,
  form: TaggedCalls,
): Parse<{ readonly name: string; readonly isSure: boolean } | undefined> {
  const { head } = form;
  yield* cursor.skipBlanks();
  if ('tag' in head) {
    const found = yield* readTag(cursor, form, head.tag);
    return found?.name === undefined ? undefined : { name: unescapeAttribute(found.name), isSure: true };
  }
  const name = yield* cursor.run(isNameCharacter, nameMax);
  if (name === '') return undefined;
  // A name alone between the tags is a call without arguments, or an ordinary word.
  const isSure = (yield* cursor.eatAnyAfterBlanks(head.separators)) !== undefined;
  return { name, isSure };
}

/** Takes the tag at the cursor. Returns its groups if it matches the pattern. */
function* readTag(
  cursor: MarkupCursor['cursor'],
  { lead, end }: TaggedCalls,
  pattern: RegExp,
): Parse<Record<string, string | undefined> | undefined> {
  if ((yield* cursor.eatAny(lead)) === undefined) return undefined;
  const content = yield* cursor.until([end, '\n'], headerMax);
  if (content === undefined || !(yield* cursor.eat(end))) return undefined;
  return pattern.exec(content.trim())?.groups;
}

function unescapeAttribute(attribute: string): string {
  return attribute.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

function* readParameters(reading: MarkupCursor, form: TaggedCalls, marks: Marks, name: string): Parse<void> {
  const { cursor, write } = reading;
  const schema = reading.tools.schema(name);
  const [lead = ''] = form.lead;
  const [closeLead = ''] = form.closeLead;
  write('{');
  for (let count = 0; ; count++) {
    const parameter = yield* readNextParameter(reading, form, marks);
    if (parameter === undefined) break;
    write(`${count > 0 ? ', ' : ''}${JSON.stringify(parameter.key)}: `);
    const { key, as } = parameter;
    const value = { key, as, schema: partSchema(schema, key) };
    const isComplete =
      'tagIsName' in form.parameter
        ? yield* readNested(reading, { form: { lead, closeLead, end: form.end }, ...value })
        : yield* readTaggedValue(reading, {
            ...value,
            trim: form.trim ?? false,
            closes: marks.parameterCloses,
            softCloses: marks.softCloses,
            accept: (literal) => acceptSoftClose(reading, { form, marks, literal, known: propertyNames(schema) }),
          });
    if (!isComplete) break;
  }
  const close = yield* cursor.eatAnyAfterBlanks(marks.callCloses);
  if (close !== undefined || !cursor.isDrained || reading.endsNaturally()) write('}');
}

function* readNextParameter(reading: MarkupCursor, form: TaggedCalls, marks: Marks): Parse<Parameter | undefined> {
  const { cursor } = reading;
  const { parameter } = form;
  const blanks = yield* cursor.blanks();
  if (yield* seesClose(reading, form, blanks)) return undefined;
  if ((yield* cursor.seesAny(marks.parameterStarts, blanks)) === undefined) return undefined;
  cursor.at += blanks;
  if ('key' in parameter) return yield* readKeyTag(reading, parameter);
  const pattern = 'tag' in parameter ? parameter.tag : tagName;
  const found = yield* readTag(cursor, form, pattern);
  if (found?.key === undefined) return undefined;
  const { string, type } = found;
  if (string !== undefined) return { key: unescapeAttribute(found.key), as: string === 'true' ? 'string' : 'json' };
  if (type !== undefined) return { key: unescapeAttribute(found.key), as: type === 'string' ? 'string' : 'json' };
  return { key: unescapeAttribute(found.key) };
}

const tagName = /^(?<key>[^\s/<>]+)$/;

/** Models sometimes omit the value's opening tag. */
function* readKeyTag(
  { cursor }: MarkupCursor,
  { key: starts, keyClose, value }: Extract<ParameterHead, { key: readonly string[] }>,
): Parse<Parameter | undefined> {
  yield* cursor.eatAny(starts);
  const key = yield* cursor.until([...keyClose, ...value, '\n<'], headerMax);
  if (key === undefined) return undefined;
  yield* cursor.eatAny(keyClose);
  if ((yield* cursor.eatAnyAfterBlanks(value)) === undefined) yield* cursor.skipBlanks();
  return { key: key.trim() };
}

/** A value may contain the format's own tags. A tag ends it early only if it fits the rest of the call. */
function* acceptSoftClose(
  { cursor }: MarkupCursor,
  {
    form,
    marks,
    literal,
    known,
  }: { readonly form: TaggedCalls; readonly marks: Marks; readonly literal: string; readonly known: readonly string[] },
): Parse<boolean> {
  if (marks.parameterCloses.includes(literal)) return true;
  if (marks.parameterStarts.includes(literal)) {
    if ('key' in form.parameter) return true;
    for (const key of known) if (yield* cursor.seesAny([`${key}${form.end}`, `"${key}"`], literal.length)) return true;
    return false;
  }
  if ('body' in form.head) return true;
  let offset = literal.length;
  while ((yield* cursor.seesAny(blankMarks, offset)) !== undefined) offset++;
  const isLast = (yield* cursor.seesAny([...form.wrapperCloses, ...form.lead], offset)) !== undefined;
  return isLast || cursor.at + offset >= cursor.text.length;
}

const blankMarks = ['\n', ' ', '\t', '\r'];
