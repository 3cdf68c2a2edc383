import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import type { Result } from 'axe-core';

/** The minified script, because every page has to load and compile it. */
const rules = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The serious and critical violations of a page. Rules with a lower impact do not run. */
export async function graveFaultsFor(page: Page): Promise<readonly Result[]> {
  const faults = await violationsOf(page);
  return faults.filter(({ impact }) => impact === 'serious' || impact === 'critical');
}

const withoutLesserRules = `Object.fromEntries(
  axe._audit.rules
    .filter(({ impact }) => impact === 'minor' || impact === 'moderate')
    .map(({ id }) => [id, { enabled: false }]),
)`;

/** No view has frames, so the rules run in the page alone. */
async function violationsOf(page: Page): Promise<readonly Result[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(rules);
  const script = `axe.run({ resultTypes: ['violations'], rules: ${withoutLesserRules} }).then(({ violations }) => violations)`;
  return await page.evaluate<Result[]>(script);
}
