import { access, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserServer, chromium, type LaunchOptions } from 'playwright-core';
import packed, { inflate } from '@sparticuz/chromium';

/**
 * A real headless Chromium, unpacked from its npm package: nothing is downloaded or installed. `fonts` is a writable
 * folder with more fonts.
 */
export async function launchChromium({ fonts }: { fonts?: string } = {}): Promise<Browser> {
  const options = await launchOptions();
  if (fonts === undefined) return chromium.launch(options);
  const list = join(fonts, 'fonts.conf');
  await writeFile(list, fontsIn(await unpackedChromium(), fonts));
  return chromium.launch({ ...options, env: { ...options.env, FONTCONFIG_FILE: list } });
}

/** A Chromium that many processes share. Each connects to its address and has its own windows. */
export async function serveChromium(): Promise<BrowserServer> {
  return chromium.launchServer(await launchOptions());
}

async function launchOptions(): Promise<LaunchOptions> {
  const folder = await unpackedChromium();
  return {
    executablePath: join(folder, 'chromium'),
    args: [
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
      '--font-render-hinting=none',
    ],
    env: {
      ...process.env,
      TMPDIR: folder,
      // The package includes a few libraries and a font that a minimal machine lacks.
      LD_LIBRARY_PATH: [join(folder, 'al2023/lib'), process.env['LD_LIBRARY_PATH']].filter(Boolean).join(':'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  };
}

/** Unpacked once per machine and user. If two processes do it at once, the second uses the folder of the first. */
async function unpackedChromium(): Promise<string> {
  const user = process.getuid?.() ?? 0;
  const folder = join(tmpdir(), `gateway-chromium-${packageVersion()}-${user}`);
  if (await isOwn(folder, user)) return folder;
  const fresh = await mkdtemp(join(tmpdir(), 'gateway-chromium-'));
  await unpackInto(fresh);
  await writeFile(join(fresh, 'fonts.conf'), fontsIn(folder));
  try {
    await rename(fresh, folder);
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    if (!(await isOwn(folder, user))) throw error;
  }
  return folder;
}

/** The package unpacks into the folder for temporary files. */
async function unpackInto(folder: string): Promise<void> {
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
  try {
    await packed.executablePath();
    await inflate(join(packageFolder(), 'bin/al2023.tar.br'));
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
}

/** Replaces the font list of the package, which names folders of another machine. */
function fontsIn(folder: string, ...more: readonly string[]): string {
  const folders = [`${folder}/fonts/fonts`, '/usr/share/fonts', ...more];
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
${folders.map((path) => `  <dir>${path}</dir>`).join('\n')}
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`;
}

async function isOwn(folder: string, user: number): Promise<boolean> {
  try {
    await access(join(folder, 'fonts.conf'));
    return (await stat(folder)).uid === user;
  } catch {
    return false;
  }
}

function packageFolder(): string {
  return join(createRequire(import.meta.url).resolve('@sparticuz/chromium'), '../..');
}

function packageVersion(): string {
  const { version } = createRequire(import.meta.url)(join(packageFolder(), 'package.json')) as { version: string };
  return version;
}
