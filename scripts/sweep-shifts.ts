import type { Page } from 'playwright-core';

/** The greatest cumulative layout shift of a good page: half of the limit that browsers report as good. */
const shiftMax = 0.05;

/** API replies arrive this late, so that the browser paints the page once without its data. */
const delayMs = 120;

/** Records layout shifts without recent input, and delays API replies. Call it before the page is opened. */
export async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(recorder);
  await page.route(/\/(?:account|admin)\/v1\//, async (route) => {
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    await route.fallback().catch(() => {});
  });
}

interface ShiftRecord {
  readonly worst: number;
  readonly nodes: readonly string[];
}

/** A fault if the layout of the page shifted too much since it was opened. Empty otherwise. */
export async function shiftFaults(page: Page): Promise<readonly string[]> {
  const shift = await page.evaluate<ShiftRecord | undefined>('window.layoutShift').catch(() => undefined);
  if (!shift || shift.worst <= shiftMax) return [];
  return [`the layout shifts by ${shift.worst.toFixed(3)}: ${[...new Set(shift.nodes)].join(', ')}`];
}

/** Sums shifts as browsers do: shifts less than a second apart, and at most five seconds, are one window. */
const recorder = `{
  const shift = (window.layoutShift = { worst: 0, nodes: [] });
  let sum = 0;
  let first = 0;
  let last = 0;
  new PerformanceObserver((list) => {
    for (const { startTime, value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      if (startTime - last > 1000 || startTime - first > 5000) [sum, first] = [0, startTime];
      [sum, last] = [sum + value, startTime];
      shift.worst = Math.max(shift.worst, sum);
      for (const { node, previousRect, currentRect } of sources)
        shift.nodes.push((node?.className || node?.nodeName) + ' ' + Math.round(previousRect.y) + '→' + Math.round(currentRect.y) + ' x' + Math.round(previousRect.x) + '→' + Math.round(currentRect.x));
    }
  }).observe({ type: 'layout-shift', buffered: true });
}`;
