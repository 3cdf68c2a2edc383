import type { Page } from '@playwright/test';
import axe, { type Result } from 'axe-core';

/** What of a page is out of reach for somebody. No view has frames, so the rules run in the page alone. */
export async function faultsFor(page: Page): Promise<readonly Result[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const found = 'axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations)';
  return await page.evaluate<Result[]>(found);
}
