import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { configurationSchema } from './configuration-schema.ts';

const example = readFileSync(new URL('../gateway.example.yaml', import.meta.url), 'utf8');
const ajv = new Ajv2020({ strict: false, validateFormats: false });
const isValid = ajv.compile(JSON.parse(configurationSchema()) as object);

test('an editor accepts the example file, which names the schema in its first line', () => {
  expect(example.split('\n')[0]).toBe('# yaml-language-server: $schema=gateway.schema.json');
  isValid(parse(example));
  expect(isValid.errors).toBeNull();
});

test('an editor accepts variables where numbers, choices and addresses belong', () => {
  const file = 'listen: { port: "${PORT}" }\ndatabase: ${DATABASE_URL}\nlog: { level: "${LEVEL}" }';
  expect(isValid(parse(file))).toBe(true);
});

test.each([
  ['an unknown setting', 'lisen: { port: 1 }'],
  ['a wrong type', 'listen: { port: many }'],
  ['a value outside its limits', 'listen: { port: 70000 }'],
  ['an unknown choice', 'log: { level: loud }'],
  ['a missing setting', 'upstreams: [{ kind: openai }]'],
])('an editor marks %s', (_fault, file) => {
  expect(isValid(parse(file))).toBe(false);
});
