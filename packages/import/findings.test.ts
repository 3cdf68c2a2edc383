import { expect, test } from 'vitest';
import { bifrostFindings } from './bifrost/finding-texts.ts';
import { appliedFindings, commonFindings } from './common-findings.ts';
import { litellmFindings } from './litellm/finding-texts.ts';
import { oneApiFindings } from './one-api/finding-texts.ts';

test('no two products use one code for different findings', () => {
  const codes = [commonFindings, appliedFindings, litellmFindings, bifrostFindings, oneApiFindings].flatMap((table) =>
    Object.values(table).flatMap(Object.keys),
  );
  expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
});
