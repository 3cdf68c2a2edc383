import { columnParts, type InvoiceColumns, usualColumns } from 'chat-gateway-figures/invoice/invoice-columns.ts';
import { type Invoice, keysIn, readInvoice } from 'chat-gateway-figures/invoice/invoice-file.ts';
import { InvoiceError, type Table, tableIn } from 'chat-gateway-figures/invoice/invoice-table.ts';

/** A chosen file, and how to read it. */
export interface InvoiceDraft {
  readonly fileName: string;
  readonly table: Table;
  readonly columns: InvoiceColumns;
  /** The credential of each key; undefined if all keys are compared together. */
  readonly keys: ReadonlyMap<string, number> | undefined;
  /** The upstream's names of models in the file. */
  readonly models: ReadonlyMap<string, string>;
}

/** Throws an InvoiceError. */
export function draftOf(fileName: string, text: string): InvoiceDraft {
  const table = tableIn(text);
  return { fileName, table, columns: usualColumns(table), keys: undefined, models: new Map() };
}

export type ReadDraft =
  | { readonly invoice: Invoice; readonly problem?: undefined }
  | { readonly problem: InvoiceError; readonly invoice?: undefined };

export function readDraft({ table, columns, keys, models }: InvoiceDraft): ReadDraft {
  try {
    return { invoice: readInvoice(table, { columns, keys, models }) };
  } catch (error) {
    if (error instanceof InvoiceError) return { problem: error };
    throw error;
  }
}

/** The columns of a field, as the form shows them. */
export function chosenColumns(text: string | undefined, { columns }: Table): ReturnType<typeof columnParts> {
  return text === undefined ? { parts: [], isCents: false } : columnParts(text, columns);
}

/** More keys would make the form too long. The command compares any number. */
const keysMax = 30;

/** The keys in the file that the form can map to credentials. */
export function mappableKeys({ table, columns }: InvoiceDraft): readonly string[] {
  const keys = keysIn(table, columns);
  return keys.length > keysMax ? [] : keys;
}
