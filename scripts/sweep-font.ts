import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContext } from '@playwright/test';

const folder = fileURLToPath(new URL('.', import.meta.resolve('@fontsource-variable/noto-sans-sc/package.json')));
/** A name that the theme asks for, so that pages need not know of this. */
const family = 'Noto Sans CJK SC';
/** The policy of the dashboard takes fonts from its own address only. */
const place = '/assets/fonts-of-the-sweep/';

/** Chinese is drawn with a real font, whatever the machine has: boxes instead of characters hide what is wrong. */
export async function bringChinese(context: BrowserContext): Promise<void> {
  const ranges = JSON.parse(readFileSync(join(folder, 'unicode.json'), 'utf8')) as Readonly<Record<string, string>>;
  const parts = Object.entries(ranges)
    .map(([part, unicodeRange]) => ({
      file: `noto-sans-sc-${part.replace(/[[\]]/g, '')}-wght-normal.woff2`,
      unicodeRange,
    }))
    .filter(({ file }) => /-\d+-/.test(file));
  await context.route(`**${place}*`, (route) =>
    route.fulfill({ path: join(folder, 'files', new URL(route.request().url()).pathname.slice(place.length)) }),
  );
  await context.addInitScript(`
    for (const { file, unicodeRange } of ${JSON.stringify(parts)}) {
      const source = 'url(' + location.origin + '${place}' + file + ')';
      document.fonts.add(new FontFace('${family}', source, { unicodeRange, weight: '100 900' }));
    }
  `);
}
