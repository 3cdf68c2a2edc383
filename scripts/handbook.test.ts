import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { type AlertState, alertsIn, ruleGroups, stagedRules } from './staged-alerts.ts';

const handbook = readFileSync('docs/operations.md', 'utf8');
const rules = ruleGroups()
  .flatMap((group) => group.rules)
  .filter(({ alert }) => alert !== undefined);
const faults = globSync('docs/faults/*.md').map((file) => ({
  name: basename(file),
  text: readFileSync(file, 'utf8'),
}));

test.each(rules)('$alert is staged on one page, which its section of the handbook links to', ({ alert = '', expr }) => {
  const staging = [{ page: expect.any(String) as string, name: alert, expr }];
  const firing = faults
    .flatMap(({ name, text }) => alertsOn(name, text, 'firing'))
    .filter(({ name }) => name === alert);
  const over = faults.flatMap(({ name, text }) => alertsOn(name, text, 'over')).filter(({ name }) => name === alert);
  expect(firing).toEqual(staging);
  expect(over).toEqual(firing);
  const section = new RegExp(`^### ${alert}\n([^#]*(?:#(?!##)[^#]*)*)`, 'm').exec(handbook)?.[1] ?? '';
  const { page = '' } = firing[0] ?? {};
  expect(section).toContain(`(faults/${page}`);
  expect(faults.find(({ name }) => name === page)?.text).toContain(`(../operations.md#${alert.toLowerCase()})`);
});

test('a staged rule differs from its original only in windows, bounds and waits', () => {
  const blurred = (text: string): string => text.replaceAll(/\[\d+[ms]\]|(?<=[><=] )[\d.e]+$/gm, 'N');
  const originals = ruleGroups().flatMap((group) => group.rules.map(({ expr }) => blurred(expr)));
  const staged = (parse(stagedRules()) as { groups: { rules: { expr: string }[] }[] }).groups;
  expect(staged.flatMap((group) => group.rules.map(({ expr }) => blurred(expr)))).toEqual(originals);
});

function alertsOn(page: string, text: string, state: AlertState) {
  const blocks = [...text.matchAll(/^```text (firing|over)\n([^]*?)^```$/gm)].filter(([, mark]) => mark === state);
  return blocks.flatMap(([, , block = '']) => alertsIn(block).map((alert) => ({ page, ...alert })));
}
