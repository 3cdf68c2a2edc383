import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import decompress from 'wawoff2/decompress.js';

const packed = fileURLToPath(new URL('.', import.meta.resolve('@fontsource/noto-sans-sc/files/any')));

/**
 * Returns a folder with a real Chinese font. Without one, screenshots show boxes that hide faults. The browser loads it
 * as a system font: as a web font in a hundred parts, some text was not drawn. The fonts of the package are compressed
 * for the web, and browsers accept that format only from pages, so this decompresses them.
 */
export async function chineseFonts(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-fonts-'));
  const parts = (await readdir(packed)).filter((name) => /-\d+-(?:400|600)-normal\.woff2$/.test(name));
  for (const name of parts) {
    const font = await decompress(await readFile(join(packed, name)));
    await writeFile(join(folder, name.replace(/woff2$/, 'ttf')), font);
  }
  return folder;
}
