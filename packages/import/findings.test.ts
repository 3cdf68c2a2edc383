import { expect, test } from 'vitest';
import { bifrostFindings } from './bifrost/finding-texts.ts';
import { commonFindings } from './common-findings.ts';
import { litellmFindings } from './litellm/finding-texts.ts';
import { oneApiFindings } from './one-api/finding-texts.ts';

test('no two products use one code for different findings', () => {
  const codes = [commonFindings, litellmFindings, bifrostFindings, oneApiFindings].flatMap(Object.keys);
  expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
});
