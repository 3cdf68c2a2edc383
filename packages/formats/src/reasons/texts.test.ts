import { expect, test } from 'vitest';
import { cases } from '../../../dashboard/src/strings/cases.ts';
import { documentTexts } from '../../../../src/money/documents/pdf/document-words.ts';
import { type EmailTemplate, templates } from '../../../../src/operate/notifications/email/templates.ts';
import { errorTable } from '../error-table.ts';
import { rules } from './rules.ts';
import { namesIn, type Text, type Texts } from './text.ts';
import { reasonTexts, wordTexts } from './texts.ts';

const emailTexts = Object.entries<EmailTemplate>(templates).flatMap(([name, { en, zh, action, alert }]) => [
  ...Array.from({ length: Math.max(en.length, zh.length) }, (_, part): [string, Text] => [
    `${name} ${part}`,
    [en[part] ?? '', zh[part] ?? ''],
  ]),
  ...[action, alert].flatMap((each, part): [string, Text][] =>
    each ? [[`${name} label ${part}`, [each.en, each.zh]]] : [],
  ),
]);

test.each<[string, Texts]>([
  ['reasons', reasonTexts],
  ['rules', rules],
  ['words', wordTexts],
  ['documents', documentTexts],
  ['e-mails', Object.fromEntries(emailTexts)],
])('all %s have an English and a Chinese text, and the Chinese text has no parameters of its own', (_, texts) => {
  for (const [code, [english, chinese]] of Object.entries(texts)) {
    expect(english, code).not.toMatch(/[\u4e00-\u9fff]/);
    expect(chinese, code).toMatch(/[\u4e00-\u9fff]|^\{\w+\}$/);
    expect(namesIn(english), code).toEqual(expect.arrayContaining([...namesIn(chinese)]));
  }
});

test('the codes of reasons and rules are snake_case', () => {
  for (const code of Object.keys({ ...reasonTexts, ...rules })) expect(code).toMatch(/^[a-z_]+$/);
});

test('the dashboard has a short name for every case that ends a request', () => {
  const steps = new Set(['connection', 'key', 'body', 'model', 'inference']);
  const recorded = Object.entries(errorTable).filter(([, { step }]) => steps.has(step));
  expect(recorded.map(([name]) => name).filter((name) => !(name in cases))).toEqual([]);
});
