import type { InvoiceError } from 'chat-gateway-figures/invoice/invoice-table.ts';
import { fill } from '../../text/fill.ts';
import type { Language } from '../../text/language.ts';
import type { Pair } from '../../text/strings.ts';
import { texts } from './texts.ts';

/** The reason that a file cannot be compared, in the language of the user. */
export function problemText({ problem, params }: InvoiceError, language: Language): string {
  const pair: Pair = texts[problem === 'incomplete' ? 'incomplete_file' : problem];
  const fields: Readonly<Record<string, Pair>> = texts;
  const field = fields[String(params['field'])];
  return fill(pair, language, { ...params, ...(field && { field: fill(field, language, {}) }) });
}
