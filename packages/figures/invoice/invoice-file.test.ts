import { expect, test } from 'vitest';
import { usualColumns } from './invoice-columns.ts';
import { type InvoiceOptions, readInvoice } from './invoice-file.ts';
import { InvoiceError, tableIn } from './invoice-table.ts';

function read(text: string, { columns, ...options }: Partial<InvoiceOptions> = {}) {
  const table = tableIn(text);
  return readInvoice(table, { columns: { ...usualColumns(table), ...columns }, ...options });
}

function refusal(text: string, options: Partial<InvoiceOptions> = {}): unknown {
  try {
    return read(text, options);
  } catch (error) {
    return error instanceof InvoiceError ? { problem: error.problem, ...error.params } : error;
  }
}

const row = { day: '2026-11-01', model: 'large', input_tokens: 1200, output_tokens: 30, cost: '1.25' };

test.each([
  ['commas', 'date,model,input_tokens,output_tokens,cost\n2026-11-01,large,1200,30,1.25\n'],
  [
    'a byte order mark and CRLF',
    '\uFEFFdate,model,input_tokens,output_tokens,cost\r\n2026-11-01,large,1200,30,1.25\r\n',
  ],
  ['semicolons and decimal commas', 'Date;Model;Input Tokens;Output Tokens;Cost\n2026-11-01;large;1200;30;1,25'],
  ['tabs', 'day\tmodel\tinput\toutput\tcost\n2026-11-01\tlarge\t1200\t30\t1.25'],
  ['quotes', '"date","model","input","output","cost"\n"2026-11-01","large","1,200","30","$1.25"\n\n'],
  [
    'an empty last line and other columns',
    'x,date,model,input,output,cost,y\n"a ""b"",\nc",2026-11-01,large,1200,30,1.25,\n,,,,,,\n',
  ],
  [
    'times and rows to add up',
    'start_time,model,input,output,cost\n1793491200,large,1000,10,1\n2026-11-01 23:30:00 UTC,large,200,20,2.5e-1\n',
  ],
  [
    'a JSON list',
    JSON.stringify([{ date: '2026-11-01', model: 'large', prompt_tokens: 1200, completion_tokens: 30, cost: 1.25 }]),
  ],
  [
    'JSON with a list for each day',
    JSON.stringify({
      data: [
        {
          start_time: 1793491200,
          results: [{ model: 'large', input_tokens: 1200, output_tokens: 30, amount: { value: '1.25' } }],
        },
        { start_time: 1793577600, results: [] },
      ],
    }),
  ],
])('reads a file with %s', (_name, text) => {
  expect(read(text)).toMatchObject({ rows: [row], skipped: 0, repeated: [] });
});

test('columns, models and keys can be mapped, columns can be added up, and other keys are left out', () => {
  const text =
    'Tag,Modell,frisch,cache,raus,Schlüssel\n2026-11-01T23:30:00-01:00,large-v2,7,3,5,prod\n2026-11-01,large-v2,1,1,1,else\n';
  const columns = {
    day: 'Tag',
    model: 'Modell',
    input: 'frisch+cache',
    cached: 'cache',
    output: 'raus',
    key: 'Schlüssel',
  };
  const mapped = { columns, keys: new Map([['prod', 1]]), models: new Map([['large-v2', 'large']]) };
  expect(read(text, mapped)).toEqual({
    rows: [{ day: '2026-11-02', model: 'large', credential: 1, input_tokens: 10, cached_tokens: 3, output_tokens: 5 }],
    currency: undefined,
    skipped: 1,
    repeated: [],
  });
});

test('money with more than nine places is rounded once for each row, without a float', () => {
  const cost = (text: string) => read(`day,model,cost\n2026-11-01,large,${text}\n`).rows[0]?.cost;
  expect(cost('0.0000000015')).toBe('0.000000002');
  expect(cost('-0.0000000015')).toBe('-0.000000002');
  expect(cost('1.2e-05')).toBe('0.000012');
  expect(cost('"1,234,567.123456789"')).toBe('1234567.123456789');
  const json = '[{"day":"2026-11-01","model":"large","cost":123456789.123456789}]';
  expect(read(json).rows[0]?.cost).toBe('123456789.123456789');
});

test.each([
  ['a file without a column of days', 'model,input\nlarge,1\n', { problem: 'column_missing', field: 'day' }],
  ['a file without figures', 'day,model\n2026-11-01,large\n', { problem: 'column_missing', field: 'input' }],
  ['a file without rows', 'day,model,input\n', { problem: 'empty' }],
  ['broken JSON', '[{"day":', { problem: 'not_json' }],
  ['an ambiguous day', 'day,model,input\n11/01/2026,large,1\n', { problem: 'value_invalid', column: 'day', row: 2 }],
  ['a day that does not exist', 'day,model,input\n2026-02-30,large,1\n', { problem: 'value_invalid', column: 'day' }],
  ['a part of a token', 'day,model,input\n2026-11-01,large,1.5\n', { problem: 'value_invalid', column: 'input' }],
  [
    'a decimal comma among commas',
    'day,model,cost\n2026-11-01,large,"1,25"\n',
    { problem: 'value_invalid', column: 'cost' },
  ],
  [
    'separators in the wrong place',
    'day;model;cost\n2026-11-01;large;1.25,5\n',
    { problem: 'value_invalid', column: 'cost' },
  ],
  ['a row without a model', 'day,model,input\n2026-11-01,,5\n', { problem: 'value_invalid', column: 'model' }],
])('refuses %s', (_name, text, expected) => {
  expect(refusal(text)).toMatchObject(expected);
});

test('refuses a column that does not exist, and keys without their column', () => {
  const text = 'day,model,input,project\n2026-11-01,large,5,blue\n';
  expect(refusal(text, { columns: { input: 'tokens' } })).toMatchObject({ problem: 'column_unknown', name: 'tokens' });
  const keys = new Map([['green', 0]]);
  expect(refusal(text, { keys })).toMatchObject({ problem: 'column_missing', field: 'key' });
  expect(refusal(text, { keys, columns: { key: 'project' } })).toMatchObject({ problem: 'empty' });
});

test.each([
  [
    'OpenAI, usage by minute',
    'start_time,end_time,start_time_iso,end_time_iso,project_id,num_model_requests,user_id,api_key_id,model,batch,service_tier,input_tokens,output_tokens,input_cached_tokens,input_uncached_tokens\n1793491200,1793491260,2026-11-01T00:00:00+00:00,2026-11-01T00:01:00+00:00,,2,,,large,False,default,1000,20,600,400\n1793491260,1793491320,2026-11-01T00:01:00+00:00,2026-11-01T00:02:00+00:00,,1,,,large,False,default,200,10,0,200\n1793491320,1793491380,2026-11-01T00:02:00+00:00,2026-11-01T00:03:00+00:00,,,,,,,,,,,\n',
    { input_tokens: 1200, cached_tokens: 600, output_tokens: 30, cost: undefined },
  ],
  [
    'OpenAI, costs',
    'start_time,end_time,start_time_iso,end_time_iso,amount_value,amount_currency,line_item,project_id,organization_id\n1793491200,1793577600,2026-11-01T00:00:00+00:00,2026-11-02T00:00:00+00:00,0.8958740000000000,usd,"large, input",,org\n1793491200,1793577600,2026-11-01T00:00:00+00:00,2026-11-02T00:00:00+00:00,0.1,usd,"large, cached input",,org\n',
    { cost: '0.995874' },
  ],
  [
    'Anthropic, usage of the console',
    'usage_date_utc,model_version,api_key,workspace,usage_type,context_window,usage_input_tokens_no_cache,usage_input_tokens_cache_write_5m,usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,usage_output_tokens,web_search_count,inference_geo,speed\n2026-11-01,large,prod,Default,standard,≤ 200k,100,20,30,50,7,0,global,\n',
    { input_tokens: 200, cached_tokens: 50, output_tokens: 7 },
  ],
  [
    'Anthropic, usage of the API',
    '{"data":[{"starting_at":"2026-11-01T00:00:00Z","ending_at":"2026-11-02T00:00:00Z","results":[{"model":"large","uncached_input_tokens":100,"cache_creation":{"ephemeral_1h_input_tokens":30,"ephemeral_5m_input_tokens":20},"cache_read_input_tokens":50,"output_tokens":7,"api_key_id":null}]}],"has_more":false,"next_page":null}',
    { input_tokens: 200, cached_tokens: 50, output_tokens: 7 },
  ],
  [
    'Anthropic, costs of the API in cents',
    '{"data":[{"starting_at":"2026-11-01T00:00:00Z","results":[{"currency":"USD","amount":"123.78912","model":"large","cost_type":"tokens","token_type":"output_tokens"}]}],"has_more":false}',
    { cost: '1.2378912' },
  ],
  [
    'Anthropic, costs of the console',
    'usage_date_utc,model,workspace,api_key,usage_type,context_window,token_type,cost_usd,list_price_usd,cost_type\n2026-11-01,large,Default,prod,message,≤ 200k,input_no_cache,0.05,0.06,token\n2026-11-01,large,Default,prod,message,≤ 200k,output,1.20,1.30,token\n',
    { cost: '1.25' },
  ],
])('reads the export of %s', (_name, text, figures) => {
  expect(read(text).rows).toEqual([expect.objectContaining({ day: '2026-11-01', model: 'large', ...figures })]);
});

test('a column of an unknown unit is no cost', () => {
  const text = 'start_time_iso,model,type,price,amount\n2026-11-01T00:00:00Z,large,output_tokens,0.1,970\n';
  expect(refusal(text)).toMatchObject({ problem: 'column_missing', field: 'input' });
});

test('the currency is that of a column, of the cells or of the name of the cost, and there is only one', () => {
  const currency = (head: string, ...cells: readonly string[]) =>
    read([`day,model,${head}`, ...cells.map((cell) => `2026-11-01,large,${cell}`)].join('\n')).currency;
  expect(currency('cost,currency', '1.25,cny', ',')).toBe('CNY');
  expect(currency('cost', 'EUR 1.25')).toBe('EUR');
  expect(currency('cost_usd', '1.25')).toBe('USD');
  expect(currency('cost', '1.25')).toBeUndefined();
  expect(() => currency('cost', 'EUR 1', 'USD 1')).toThrow('currencies');
});

test.each([
  ['an open quote', 'day,model,input\n2026-11-01,"large,5\n', { problem: 'quote_open', row: 2 }],
  ['an unquoted separator', 'day,model,input\n2026-11-01,large,1,200\n', { problem: 'row_too_long', row: 2, cells: 4 }],
  [
    'days of another time zone',
    'day,model,input\n2026-11-01T00:00:00+08:00,large,5\n2026-11-02T00:00:00+08:00,large,5\n',
    { problem: 'days_not_utc', value: '2026-11-01T00:00:00+08:00' },
  ],
  [
    'one page of several',
    '{"has_more":true,"data":[{"day":"2026-11-01","model":"large","input":5}]}',
    { problem: 'incomplete' },
  ],
])('refuses %s, which would change the sums', (_name, text, expected) => {
  expect(refusal(text)).toMatchObject(expected);
});

test('hours of another time zone count for their UTC day', () => {
  const text = 'day,model,input\n2026-11-02T00:00:00+08:00,large,5\n2026-11-02T09:00:00+08:00,large,7\n';
  expect(read(text).rows.map(({ day, input_tokens }) => [day, input_tokens])).toEqual([
    ['2026-11-01', 5],
    ['2026-11-02', 7],
  ]);
});

test.each(['', '\n', '\r\n'])('a file that ends with %j has as many rows as lines', (end) => {
  expect(tableIn(`day,model,input\n2026-11-01,large,5\n2026-11-01,small,${end}`).rows).toHaveLength(2);
});

test('rows that equal an earlier one are named and count', () => {
  const text = 'day,model,input,id\n2026-11-01,large,5,a\n2026-11-01,large,5,b\n2026-11-01,large,5,a\n';
  expect(read(text)).toMatchObject({ repeated: [4], rows: [{ input_tokens: 15 }] });
});

test('more days and models than the endpoint compares are refused', () => {
  const rows = Array.from({ length: 10_001 }, (_, index) => `2026-11-01,m${index},1`);
  expect(refusal(`day,model,input\n${rows.join('\n')}`)).toMatchObject({ problem: 'too_many_lines', lines: 10_001 });
});
