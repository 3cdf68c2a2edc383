import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import type { sections } from './src/strings/index.ts';

const gateway = process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), colorSchemeFirst(), stylesWithoutElements(), oneLanguage(), compressedBeside()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // The gateway's content security policy allows files of its own and nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  server: {
    proxy: Object.fromEntries(
      ['/auth', '/admin', '/account', '/v1', '/anthropic'].map((path) => [path, { target: gateway }]),
    ),
  },
});

/** Puts the colour-scheme script into the head as a file of its own that runs before anything is painted. */
function colorSchemeFirst(): Plugin {
  const source = readFileSync(new URL('./src/color-scheme.js', import.meta.url), 'utf8');
  let reference: string | undefined;
  return {
    name: 'color-scheme-first',
    buildStart() {
      if (this.meta.watchMode) return;
      reference = this.emitFile({ type: 'asset', name: 'color-scheme.js', source });
    },
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle, server }) {
        if (server) return [{ tag: 'script', children: source, injectTo: 'head-prepend' }];
        const file = Object.values(bundle ?? {}).find(
          ({ type, fileName }) => type === 'asset' && fileName.endsWith('.js'),
        );
        if (!reference || !file) throw new Error('The colour-scheme script was not emitted.');
        return [{ tag: 'script', attrs: { src: `/${file.fileName}` }, injectTo: 'head-prepend' }];
      },
    },
  };
}

/**
 * Two modules of the component library write style elements, which the content security policy refuses.
 * The build takes ours instead, which adopt the same rules as style sheets.
 */
function stylesWithoutElements(): Plugin {
  const ours = new URL('./src/theme/inline-styles.tsx', import.meta.url).pathname;
  return {
    name: 'styles-without-elements',
    apply: 'build',
    enforce: 'pre',
    resolveId(source, importer) {
      const isInline = source.endsWith('/InlineStyles.mjs') && importer?.includes('@mantine');
      return isInline || source === 'react-style-singleton' ? ours : undefined;
    },
  };
}

/** Loads the strings with one language in them, where they are asked for by `?language=`; both stand side by side in the source. */
function oneLanguage(): Plugin {
  const source = new URL('./src/strings/index.ts', import.meta.url);
  return {
    name: 'one-language',
    enforce: 'pre',
    async load(id) {
      const language = /\/strings\/index\.ts\?language=(en|zh)$/.exec(id)?.[1];
      if (language === undefined) return undefined;
      const strings = (await import(source.href)) as { readonly sections: typeof sections };
      const said = ([english, chinese]: readonly [unknown, string]) =>
        language === 'zh' ? ['', chinese] : [english, ''];
      const pairs = Object.entries(strings.sections).map(([section, texts]) => [
        section,
        Object.fromEntries(Object.entries(texts).map(([key, pair]) => [key, said(pair)])),
      ]);
      return `export const sections = ${JSON.stringify(Object.fromEntries(pairs))};`;
    },
  };
}

/** Puts each file there compressed too, so that no gateway has to do it again for the first who asks. */
function compressedBeside(): Plugin {
  return {
    name: 'compressed-beside',
    apply: 'build',
    // As they lie there: names in them are filled in until the very end.
    writeBundle({ dir = '' }, bundle) {
      for (const name of Object.keys(bundle).filter((file) => /^assets\/.*\.(js|css|svg|json)$/.test(file))) {
        const path = join(dir, name);
        const content = readFileSync(path);
        const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
        writeFileSync(`${path}.br`, brotliCompressSync(content, { params }));
        writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
      }
    },
  };
}
