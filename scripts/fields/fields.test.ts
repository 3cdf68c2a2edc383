import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { fieldsThatCost, rightFields } from '../../packages/formats/src/fields-that-cost.ts';
import { newFields } from './new-fields.ts';
import { fieldsOfType } from './request-fields.ts';
import { sdkRequests } from './sdk-requests.ts';

const folder = mkdtempSync(join(tmpdir(), 'fields-'));
afterAll(() => rmSync(folder, { recursive: true }));

const file = join(folder, 'types.d.ts');
writeFileSync(
  file,
  `
  export interface Params extends Base { tools?: Array<Params.Tool> | null; name: 'x' | Other; }
  export declare namespace Params { interface Tool { type: string; inner?: Tool; more: { model: string }[] } }
  interface Base { model: string }
  export type Other = { deep: Base };
  `,
);

test('the fields of a type are found in lists, unions, namespaces and parents', () => {
  expect([...fieldsOfType(file, 'Params')].toSorted()).toEqual([
    'model',
    'name',
    'name.deep',
    'name.deep.model',
    'tools',
    'tools[].inner',
    'tools[].more',
    'tools[].more[].model',
    'tools[].type',
  ]);
  expect(() => fieldsOfType(file, 'Absent')).toThrow('declares no Absent');
});

test('a new field is one line, also inside a known one', () => {
  const table = {
    priced: 'tools[].type *.text',
    model: 'tools[].more[].model',
    stored: '',
    right: '',
    harmless: 'name',
  };
  const fields = [
    'name',
    'name.deep',
    'tools',
    'tools[].type',
    'tools[].new',
    'tools[].new.inner',
    'tools[].text',
    'x',
  ];
  expect(newFields(fields, table)).toEqual(['tools[].new', 'x']);
});

test('the table has every field of the installed client libraries', () => {
  expect(sdkRequests().map(({ name, unknown }) => [name, unknown])).toEqual(
    sdkRequests().map(({ name }) => [name, []]),
  );
  expect(sdkRequests()).toHaveLength(4);
});

test('the rights that an operator may allow are those of the table', () => {
  const named = Object.values(fieldsThatCost).flatMap(({ right }) => right.split(/\s+/).filter(Boolean));
  expect([...new Set(named.map((path) => path.replace(/\..*/, '')))].toSorted()).toEqual([...rightFields]);
});
