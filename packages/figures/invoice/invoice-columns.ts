import type { Table } from './invoice-table.ts';

export const figureFields = ['input', 'cached', 'output', 'cost'] as const;
export type FigureField = (typeof figureFields)[number];

export const invoiceFields = ['day', 'model', ...figureFields, 'key', 'currency'] as const;
export type InvoiceField = (typeof invoiceFields)[number];

/** The column of each field. `a+b` adds columns up, `a/100` is in cents. */
export type InvoiceColumns = Readonly<Partial<Record<InvoiceField, string>>>;

/** A usual name. A name that is only sure beside another column is a pair. */
type UsualName = string | readonly [name: string, beside: string];

/** Names in the exports of several providers, in lower case, the most precise first. */
const usualNames: Readonly<Record<InvoiceField, readonly UsualName[]>> = {
  day: [
    'day',
    'date',
    'usage_date_utc',
    'utc_date',
    'usage_date',
    'start_time',
    'start_time_iso',
    'starting_at',
    'timestamp',
    'time',
  ],
  // OpenAI's costs name a model and a kind of token: "large, input".
  model: ['model', 'model_version', 'model_name', 'model_id', 'upstream_model', 'line_item'],
  input: [
    'input',
    // Anthropic's `input_tokens` are without cached ones.
    'input_tokens+cache_creation_input_tokens+cache_read_input_tokens',
    'input_tokens',
    'prompt_tokens',
    'tokens_prompt',
    'usage_input_tokens_no_cache+usage_input_tokens_cache_write_5m+usage_input_tokens_cache_write_1h+usage_input_tokens_cache_read',
    'usage_input_tokens_no_cache+usage_input_tokens_cache_write+usage_input_tokens_cache_read',
    'uncached_input_tokens+cache_creation.ephemeral_5m_input_tokens+cache_creation.ephemeral_1h_input_tokens+cache_read_input_tokens',
  ],
  cached: [
    'cached',
    'cached_tokens',
    'cached_input_tokens',
    'input_cached_tokens',
    'usage_input_tokens_cache_read',
    'cache_read_input_tokens',
  ],
  output: ['output', 'output_tokens', 'completion_tokens', 'tokens_completion', 'usage_output_tokens'],
  // A column `amount` alone may be a number of tokens. That of Anthropic's cost report is in cents.
  cost: ['cost', 'cost_usd', 'total_cost', 'amount.value', 'amount_value', 'charge', ['amount/100', 'cost_type']],
  key: ['key', 'credential', 'api_key_id', 'api_key', 'api_key_name', 'key_name'],
  currency: ['currency', 'amount.currency', 'amount_currency', 'cost_currency'],
};

/** The columns that the table has under a usual name. */
export function usualColumns({ columns }: Pick<Table, 'columns'>): InvoiceColumns {
  const names = new Map(columns.map((name) => [name.toLowerCase().replaceAll(' ', '_'), name]));
  const found = invoiceFields.flatMap((field) => {
    const text = usualNames[field].map((usual) => usualColumn(usual, names)).find((each) => each !== undefined);
    return text === undefined ? [] : [[field, text]];
  });
  return Object.fromEntries(found) as InvoiceColumns;
}

function usualColumn(usual: UsualName, names: ReadonlyMap<string, string>): string | undefined {
  const [text, beside] = typeof usual === 'string' ? [usual] : usual;
  if (beside !== undefined && !names.has(beside)) return undefined;
  const { parts, isCents } = columnParts(text, []);
  const own = parts.map((name) => names.get(name));
  return own.includes(undefined) ? undefined : own.join('+') + (isCents ? '/100' : '');
}

/** The columns that a text such as `a+b` or `a/100` names. */
export function columnParts(
  text: string,
  columns: readonly string[],
): { readonly parts: readonly string[]; readonly isCents: boolean } {
  if (columns.includes(text)) return { parts: [text], isCents: false };
  const isCents = text.endsWith('/100');
  return { parts: (isCents ? text.slice(0, -'/100'.length) : text).split('+'), isCents };
}
