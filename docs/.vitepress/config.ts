import { defineConfig } from 'vitepress';
import { editions } from './navigation.ts';
import { writeForPrograms } from './programs.ts';
import { search } from './search.ts';
import { anchorOf, numberTabs, rewriteLinks, sitePath } from './site-links.ts';

/** On a phone, drawings and tables are scrolled instead of shrunk, so that their text can be read. */
const wideContent = [
  '.vp-doc p:has(> img[src*="svg"]){overflow-x:auto}',
  '.vp-doc img[src*="svg"]{min-width:600px}',
  '.vp-doc td{vertical-align:top}',
  '.vp-doc td:is(:nth-child(3),:nth-child(4)):last-child{min-width:14rem}',
  '.vp-doc :is(td,th):first-child:nth-last-child(n+4){position:sticky;left:-1px}',
  '.vp-doc td:first-child:nth-last-child(n+4){background-color:inherit}',
].join('');

/** The documentation site, which the gateway serves under `/docs`. */
export default defineConfig({
  title: 'Chat Gateway',
  description: 'A fair, exact, multi-tenant gateway between chat clients and model providers.',
  base: '/docs/',
  srcDir: '..',
  srcExclude: [
    '**/node_modules/**',
    '.github/**',
    'src/**',
    'test/**',
    'packages/**',
    'release/**',
    'dist/**',
    'data/**',
    'README.md',
  ],
  outDir: 'dist',
  cacheDir: '../node_modules/.cache/vitepress',
  rewrites: sitePath,
  cleanUrls: true,
  // The site has no build of its own time: it belongs to the gateway that serves it.
  lastUpdated: false,
  // With several pages at a time, the order of the search index would depend on the machine.
  buildConcurrency: 1,
  metaChunk: true,
  // Two chunks are larger: the search index, and the dictionary of a diagram.
  vite: { build: { chunkSizeWarningLimit: 2000 } },
  head: [['style', {}, wideContent]],
  markdown: {
    anchor: { slugify: anchorOf },
    // Shiki leaves the rest of a line without colours after 500 ms. A busy machine would build other pages.
    shikiSetup: (highlighter) => {
      const { codeToHtml } = highlighter;
      highlighter.codeToHtml = (code, options) => codeToHtml(code, { ...options, tokenizeTimeLimit: 0 });
    },
    config: (markdown) => {
      rewriteLinks(markdown);
      numberTabs(markdown);
    },
  },
  locales: editions,
  themeConfig: {
    search,
    outline: 'deep',
    notFound: {
      title: 'This page does not exist',
      quote: 'The address is wrong, or another version has this page. Search for it, or begin at the first page.',
      linkLabel: 'First page',
      linkText: 'First page',
    },
  },
  buildEnd: writeForPrograms,
});
