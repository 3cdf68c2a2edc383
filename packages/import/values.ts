import { isAlias, isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { jsonWithNumberTexts, NumberText } from 'chat-formats/json/number-text.ts';
import { isObject } from 'chat-formats/wire-value.ts';
import { ImportError, type SourceDocument } from './importer.ts';
import type { Cell } from './table-reader.ts';

/** An object of a document. Its numbers are of the class `NumberText`, so that no amount passes through a float. */
export type Values = Readonly<Record<string, unknown>>;

/** The object in a JSON column. Empty for any other value. */
export function valuesOf(cell: Cell | undefined): Values {
  return recordOf(cell === undefined || cell === null ? undefined : jsonWithNumberTexts(cell));
}

export function recordOf(value: unknown): Values {
  return isObject(value) && !(value instanceof NumberText) ? value : {};
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Text or the text of a number. `undefined` for anything else, and for the empty text. */
export function textOf(value: unknown): string | undefined {
  const text = value instanceof NumberText ? value.text : value;
  return typeof text === 'string' && text !== '' ? text : undefined;
}

export function textsOf(value: unknown): readonly string[] {
  return listOf(value)
    .map(textOf)
    .filter((text) => text !== undefined);
}

/** The texts of a column that holds a JSON list. */
export function textsIn(cell: Cell | undefined): readonly string[] {
  return cell === undefined || cell === null ? [] : textsOf(jsonWithNumberTexts(cell));
}

/** A whole number above 0. */
export function countOf(value: unknown): number | undefined {
  const text = textOf(value);
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

/** Reads a YAML or JSON document. */
export function documentValues({ name, text }: SourceDocument): Values {
  const document = parseDocument(text);
  const [problem] = document.errors;
  if (problem) throw new ImportError(`${name} is not valid YAML or JSON: ${firstLine(problem.message)}`, 'Correct it.');
  const resolved = (node: unknown): unknown => {
    if (isAlias(node)) return resolved(node.resolve(document));
    if (isSeq(node)) return node.items.map(resolved);
    if (isMap(node))
      return Object.fromEntries(node.items.map(({ key, value }) => [String(resolved(key)), resolved(value)]));
    if (!isScalar(node)) return undefined;
    const { value, source } = node;
    return typeof value === 'number' || typeof value === 'bigint' ? new NumberText(source ?? String(value)) : value;
  };
  const values = resolved(document.contents);
  if (!isObject(values)) throw new ImportError(`${name} is not an object.`, 'Name the configuration of the product.');
  return values;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
