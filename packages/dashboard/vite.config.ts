import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin, type Rolldown } from 'vite';
import type { sections } from './src/strings/index.ts';

type CodeSplittingGroup = NonNullable<Extract<Rolldown.OutputOptions['codeSplitting'], object>['groups']>[number];

const gateway = process.env['GATEWAY_URL'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), earlyScript(), stylesWithoutElements(), oneLanguage(), compressedBeside()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // The gateway's content security policy allows files of its own and nothing inline.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 800,
    // One file for all styles: a page with its own would wait for it before the first paint.
    cssCodeSplit: false,
    rolldownOptions: { checks: { pluginTimings: false }, output: { codeSplitting: { groups: fileGroups() } } },
  },
  server: {
    proxy: Object.fromEntries(
      ['/auth', '/admin', '/account', '/v1', '/anthropic'].map((path) => [path, { target: gateway }]),
    ),
  },
});

/**
 * The files of the build: one for every page, fields, and one file per page. Without groups, each module that
 * two pages share becomes a file, and each file costs a request. A group must not import from a group below it.
 */
function fileGroups(): CodeSplittingGroup[] {
  const isChoice = /Combobox|Select|TagsInput|Pill|NumberInput|number-format|Checkbox|Radio|Textarea|Switch|filter-bar/;
  const groups: Omit<CodeSplittingGroup, 'priority'>[] = [
    { name: 'app', tags: ['$initial'] },
    { name: 'fields', minShareCount: 6, test: (id) => !isChoice.test(id) && !id.includes('radio-list') },
    { name: 'choices', minShareCount: 6 },
    { name: 'more', minShareCount: 2, test: /\/src\/components\// },
    { name: (id) => /\/src\/pages\/([\w-]+)\//.exec(id)?.[1] ?? null, minShareCount: 2 },
  ];
  return groups.map((group, index) => ({ ...group, priority: groups.length - index }));
}

/**
 * Puts a script into the head that runs before anything is painted, with the names of the files to preload, and lets
 * the browser request the session in parallel with the scripts.
 */
function earlyScript(): Plugin {
  const source = readFileSync(new URL('./src/early.js', import.meta.url), 'utf8');
  let fileName: string | undefined;
  return {
    name: 'early-script',
    generateBundle: {
      order: 'pre',
      handler(_options, bundle) {
        const files = JSON.stringify(preloadedFiles(Object.values(bundle).filter((file) => file.type === 'chunk')));
        const reference = this.emitFile({
          type: 'asset',
          name: 'early.js',
          source: source.replace("'__FILES__'", () => files),
        });
        fileName = this.getFileName(reference);
      },
    },
    transformIndexHtml: {
      order: 'post',
      handler(_html, { server }) {
        const children = source.replace("'__FILES__'", '{ names: [], pages: {}, texts: {} }');
        if (server) return [{ tag: 'script', children, injectTo: 'head-prepend' }];
        if (!fileName) throw new Error('The early script was not emitted.');
        const session = { rel: 'preload', as: 'fetch', href: '/auth/session', crossorigin: '' };
        return [
          { tag: 'script', attrs: { src: `/${fileName}` }, injectTo: 'head-prepend' },
          { tag: 'link', attrs: session, injectTo: 'head-prepend' },
        ];
      },
    },
  };
}

/** The files of each page and of each language, without those that the index page lists. */
function preloadedFiles(chunks: readonly Rolldown.OutputChunk[]) {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const withImports = (fileName: string, found = new Set<string>()): Set<string> => {
    if (found.has(fileName)) return found;
    found.add(fileName);
    for (const imported of byName.get(fileName)?.imports ?? []) withImports(imported, found);
    return found;
  };
  const fileOf = (end: string) => chunks.find(({ facadeModuleId: id }) => id?.endsWith(end))?.fileName;
  const initial = withImports(chunks.find(({ name }) => name === 'app')?.fileName ?? '');
  const names: string[] = [];
  const indexOf = (name: string) => (names.includes(name) ? names.indexOf(name) : names.push(name) - 1);
  const bare = (fileName: string) => fileName.replace('assets/', '');
  const pages: Record<string, number[]> = {};
  const table = readFileSync(new URL('./src/routes.tsx', import.meta.url), 'utf8');
  for (const [, path = '', file = ''] of table.matchAll(
    /'(\/app\/[^']+)',\s*'[^']+',\s*\(\) => import\('\.(\/pages\/[^']+)'\)/g,
  )) {
    const all = [...withImports(fileOf(file) ?? '')].filter((name) => byName.has(name) && !initial.has(name));
    pages[path] = all.map(bare).map(indexOf);
  }
  const texts = ['en', 'zh'].map((language) => [language, bare(fileOf(`?language=${language}`) ?? '')]);
  return { names, pages, texts: Object.fromEntries(texts) as Readonly<Record<string, string>> };
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
