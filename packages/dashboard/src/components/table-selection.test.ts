import { expect, test } from 'vitest';
import { csvRecord } from './row-export.ts';
import { between } from './table-selection.ts';

test('a range includes both ends, in either direction', () => {
  expect(between(['a', 'b', 'c', 'd'], 'b', 'd')).toEqual(['b', 'c', 'd']);
  expect(between(['a', 'b', 'c', 'd'], 'c', 'a')).toEqual(['a', 'b', 'c']);
});

test('a range whose first row is no longer listed is the last row alone', () => {
  expect(between(['a', 'b'], 'gone', 'b')).toEqual(['b']);
});

test('a record quotes separators and disarms formulas', () => {
  expect(csvRecord(['a,b', 'say "hi"', '=1+1', '-0.5', null, 3, false])).toBe(
    '"a,b","say ""hi""",\'=1+1,-0.5,,3,false\r\n',
  );
});
