import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { configSchema } from './config.ts';
import { parseConfig } from './load.ts';

const fileName = fileURLToPath(new URL('../../../gateway.example.yaml', import.meta.url));
const text = readFileSync(fileName, 'utf8');
const kinds = ['deepseek', 'openai', 'simulated'].map((name) => ({ name, hasAddress: true }));
const env = { DEEPSEEK_API_KEY: 'sk-1', ACME_KEY_1: 'sk-2', ACME_KEY_2: 'sk-3' };

test('the example has no problems once its variables are set', () => {
  expect(parseConfig(text, { env, fileName, kinds })).toMatchObject({ ok: true });
});

test('the example shows every setting of this version', () => {
  const shown = new Set([...Object.keys(parse(text)), ...[...text.matchAll(/^# (\w+): /gm)].map(([, name]) => name)]);
  expect(Object.keys(configSchema.shape).filter((name) => !shown.has(name))).toEqual([]);
});

test('the defaults in the example are the actual defaults', () => {
  const defaults = parseConfig('', { env, fileName, kinds });
  const example = parseConfig(text, { env, fileName, kinds });
  if (!defaults.ok || !example.ok) throw new Error('not valid');
  for (const name of ['messagesPrefix', 'log', 'requests', 'waiting', 'limits'] as const) {
    expect(example.config[name]).toEqual(defaults.config[name]);
  }
});
