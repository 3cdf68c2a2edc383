import type { Table, TableRow } from './csv-rows.ts';

/**
 * Reads JSON: a list of objects, or an object with such a list. The objects of a list inside an entry inherit its
 * fields, because some providers export one entry for each day with a list of `results`. Throws a SyntaxError.
 */
export function jsonTable(file: string): Table {
  const rows = rowsIn(JSON.parse(file.replace(/^\uFEFF/, ''), numberAsText), {});
  return { rows, columns: [...new Set(rows.flatMap((row) => Object.keys(row)))], hasDecimalComma: false };
}

/** Keeps all digits of a number: money is never a float. */
function numberAsText(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? String(value)) : value;
}

function rowsIn(value: unknown, inherited: TableRow): readonly TableRow[] {
  if (Array.isArray(value)) return value.flatMap((each) => rowsIn(each, inherited));
  if (typeof value !== 'object' || value === null) return [];
  const fields = { ...inherited, ...textFields(value, '') };
  const lists = Object.values(value).filter((each) => Array.isArray(each) && each.some(isObject));
  return lists.length === 0 ? [fields] : lists.flatMap((list) => rowsIn(list, fields));
}

/** The fields as text. Those of an object inside have both names: `amount.value`. */
function textFields(value: object, prefix: string): TableRow {
  const fields: Record<string, string> = {};
  for (const [name, field] of Object.entries(value) as [string, unknown][]) {
    if (typeof field === 'string' || typeof field === 'boolean') fields[prefix + name] = String(field);
    else if (isObject(field) && prefix === '') Object.assign(fields, textFields(field, `${name}.`));
  }
  return fields;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
