import { expect, test } from 'vitest';
import { CliError } from '../output.ts';
import { type InvoiceOptions, readInvoice } from './invoice-file.ts';

function read(text: string, options: Partial<InvoiceOptions> = {}) {
  return readInvoice(text, { file: 'usage.csv', columns: new Map(), keys: undefined, models: new Map(), ...options });
}

function refusal(text: string, options: Partial<InvoiceOptions> = {}): unknown {
  try {
    return read(text, options);
  } catch (error) {
    return error instanceof CliError ? { reason: error.reason, ...error.params } : error;
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
  expect(read(text)).toEqual({ rows: [expect.objectContaining(row)], skipped: 0 });
});

test('columns, models and keys can be mapped, columns can be added up, and other keys are left out', () => {
  const text =
    'Tag,Modell,frisch,cache,raus,Schlüssel\n2026-11-01T23:30:00-01:00,large-v2,7,3,5,prod\n2026-11-01,large-v2,1,1,1,else\n';
  const columns = new Map([
    ['day', 'Tag'],
    ['model', 'Modell'],
    ['input', 'frisch+cache'],
    ['cached', 'cache'],
    ['output', 'raus'],
    ['key', 'Schlüssel'],
  ]);
  const mapped = { columns, keys: new Map([['prod', '1']]), models: new Map([['large-v2', 'large']]) };
  expect(read(text, mapped)).toEqual({
    rows: [{ day: '2026-11-02', model: 'large', credential: 1, input_tokens: 10, cached_tokens: 3, output_tokens: 5 }],
    skipped: 1,
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
  ['a file without a column of days', 'model,input\nlarge,1\n', { reason: 'invoice_column_missing', field: 'day' }],
  ['a file without figures', 'day,model\n2026-11-01,large\n', { reason: 'invoice_column_missing', field: 'input' }],
  ['a file without rows', 'day,model,input\n', { reason: 'invoice_empty' }],
  ['broken JSON', '[{"day":', { reason: 'invoice_not_json' }],
  [
    'an ambiguous day',
    'day,model,input\n11/01/2026,large,1\n',
    { reason: 'invoice_value_invalid', column: 'day', row: 1 },
  ],
  [
    'a day that does not exist',
    'day,model,input\n2026-02-30,large,1\n',
    { reason: 'invoice_value_invalid', column: 'day' },
  ],
  [
    'a part of a token',
    'day,model,input\n2026-11-01,large,1.5\n',
    { reason: 'invoice_value_invalid', column: 'input' },
  ],
  [
    'a decimal comma among commas',
    'day,model,cost\n2026-11-01,large,"1,25"\n',
    { reason: 'invoice_value_invalid', column: 'cost' },
  ],
  [
    'separators in the wrong place',
    'day;model;cost\n2026-11-01;large;1.25,5\n',
    { reason: 'invoice_value_invalid', column: 'cost' },
  ],
  ['a row without a model', 'day,model,input\n2026-11-01,,5\n', { reason: 'invoice_value_invalid', column: 'model' }],
])('refuses %s', (_name, text, expected) => {
  expect(refusal(text)).toMatchObject(expected);
});

test('refuses a column that does not exist, and a key that is no index', () => {
  const text = 'day,model,input,project\n2026-11-01,large,5,blue\n';
  expect(refusal(text, { columns: new Map([['input', 'tokens']]) })).toMatchObject({
    reason: 'invoice_column_unknown',
    name: 'tokens',
  });
  expect(refusal(text, { columns: new Map([['key', 'project']]) })).toMatchObject({
    reason: 'invoice_value_invalid',
    value: 'blue',
  });
  expect(refusal(text, { keys: new Map([['green', '0']]) })).toMatchObject({ reason: 'invoice_empty' });
});
