import { expect, test } from 'vitest';
import { counterTable, sumRows } from './counters.ts';

const hours = counterTable('spend_hours', { account_id: 'text', hour: 'bigint', key_id: 'text' }, ['amount']);
const keys = counterTable('key_spend', { key_id: 'text' }, ['spent']);
const spent = (key_id: string, amount: bigint) => ({ account_id: 'a', hour: 1, key_id, amount, spent: amount });

test('rows with the same key are written as one row, in the order of their keys, and money stays exact', () => {
  const charges = [spent('k2', 1n), spent('k1', 2n ** 60n), spent('k2', 3n), spent('k1', 1n)];
  expect(hours.add(charges)).toMatchObject([
    {
      rows: [
        ['a', 1, 'k1', '1152921504606846977'],
        ['a', 1, 'k2', '4'],
      ],
    },
  ]);
  expect(keys.add(charges)).toMatchObject([
    {
      rows: [
        ['k1', '1152921504606846977'],
        ['k2', '4'],
      ],
    },
  ]);
  expect(keys.add([])).toEqual([]);
});

test('rows that were added up can be added up again by fewer keys', () => {
  const first = spent('k1', 1n);
  const byHour = hours.sum([first, { ...first, hour: 2 }, first]);
  expect(byHour.map(({ amount }) => amount)).toEqual([2n, 1n]);
  expect(keys.add(byHour.map((row) => ({ ...row, spent: row.amount })))).toMatchObject([{ rows: [['k1', '3']] }]);
  expect(first.amount).toBe(1n);
});

test('an absent key differs from an empty one', () => {
  const row = (name: string | null) => ({ name, count: 1 });
  const summed = sumRows({ keys: ['name'], sums: ['count'] }, [row(null), row(''), row(null)]);
  expect(summed).toEqual([
    { name: null, count: 2 },
    { name: '', count: 1 },
  ]);
});

test('absent and empty keys in different columns differ', () => {
  const rows = [
    { name: null, other: '', count: 1 },
    { name: '', other: null, count: 1 },
  ];
  expect(sumRows<(typeof rows)[number]>({ keys: ['name', 'other'], sums: ['count'] }, rows)).toEqual(rows);
});
