import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { decompress } from 'wawoff2';

const packed = fileURLToPath(new URL('files', import.meta.resolve('@fontsource-variable/noto-sans-sc/package.json')));

/**
 * A folder with a real Chinese font, whatever the machine has: boxes instead of characters hide what is wrong. It is for
 * the browser to find among its own: one that pages were given in a hundred parts left some of their texts undrawn. What
 * the package has is compressed for the web, which browsers take from pages only.
 */
export async function chineseFonts(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-fonts-'));
  const parts = (await readdir(packed)).filter((name) => /-\d+-wght-normal\.woff2$/.test(name));
  for (const name of parts) {
    const font = await decompress(await readFile(join(packed, name)));
    await writeFile(join(folder, name.replace(/woff2$/, 'ttf')), font);
  }
  return folder;
}
