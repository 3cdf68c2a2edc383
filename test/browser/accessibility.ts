import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type { Result } from 'axe-core';

/** Without what makes it readable, as every page has to be sent it and has to compile it. */
const rules = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What of a page is out of reach for somebody. No view has frames, so the rules run in the page alone. */
export async function faultsFor(page: Page): Promise<readonly Result[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(rules);
  const found = 'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations)';
  return await page.evaluate<Result[]>(found);
}
