import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { shapeOf, type SchemaShape } from '../src/platform/config/file/shape.ts';
import { configSchema } from '../src/platform/config/config.ts';
import { configurationDocs, configurationDocsFile } from './configuration-docs.ts';

test('docs/configuration.md matches the schema; `node scripts/configuration-docs.ts` writes it', () => {
  expect(readFileSync(configurationDocsFile, 'utf8')).toBe(configurationDocs());
});

test('every setting is described', () => {
  expect(undescribed(shapeOf(configSchema), '')).toEqual([]);
});

function undescribed(shape: SchemaShape, path: string): string[] {
  const inner = Object.entries(shape.properties ?? {}).flatMap(([name, each]) => [
    ...(each.description ? [] : [`${path}.${name}`]),
    ...undescribed(each, `${path}.${name}`),
  ]);
  const others = [...(shape.anyOf ?? []), ...(shape.items ? [shape.items] : [])];
  return [...inner, ...others.flatMap((each) => undescribed(each, path))];
}
