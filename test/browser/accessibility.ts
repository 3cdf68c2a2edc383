import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import type { Result } from 'axe-core';

/** The minified script, because every page has to load and compile it. */
const rules = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** All accessibility violations of a page. No view has frames, so the rules run in the page alone. */
export async function faultsFor(page: Page): Promise<readonly Result[]> {
  return violationsOf(page, '{}');
}

/** Only the serious and critical violations. Rules with a lower impact do not run. */
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
  const script = `axe.run({ resultTypes: ['violations'], rules: ${rulesChanged} }).then(({ violations }) => violations)`;
  return await page.evaluate<Result[]>(script);
}
