import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type { Result } from 'axe-core';

/** Without what makes it readable, as every page has to be sent it and has to compile it. */
const rules = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** All that the rules find wrong with a page. No view has frames, so the rules run in the page alone. */
export async function faultsFor(page: Page): Promise<readonly Result[]> {
  return violationsOf(page, '{}');
}

/** What is serious or critical of it. Rules whose faults never are do not run: no test fails by them. */
export async function graveFaultsFor(page: Page): Promise<readonly Result[]> {
  const faults = await violationsOf(page, withoutLesserRules);
  return faults.filter(({ impact }) => impact === 'serious' || impact === 'critical');
}

const withoutLesserRules = `Object.fromEntries(
  axe._audit.rules
    .filter(({ impact }) => impact === 'minor' || impact === 'moderate')
    .map(({ id }) => [id, { enabled: false }]),
)`;

async function violationsOf(page: Page, rulesChanged: string): Promise<readonly Result[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(rules);
  const found = `axe.run({ resultTypes: ['violations'], rules: ${rulesChanged} }).then(({ violations }) => violations)`;
  return await page.evaluate<Result[]>(found);
}
