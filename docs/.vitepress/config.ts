import { defineConfig } from 'vitepress';
import { editions } from './navigation.ts';
import { writeForPrograms } from './programs.ts';
import { rewriteLinks, sitePath } from './site-links.ts';

/** The documentation site, which the gateway serves under `/docs`. */
export default defineConfig({
  title: 'Chat Gateway',
  description: 'A fair, exact, multi-tenant gateway between chat clients and model providers.',
  base: '/docs/',
  srcDir: '..',
  srcExclude: [
    '**/node_modules/**',
    '.github/**',
    'test/**',
    'dashboard/**',
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
  metaChunk: true,
  markdown: { config: rewriteLinks },
  locales: editions,
  themeConfig: { search: { provider: 'local' }, outline: 'deep', externalLinkIcon: true },
  buildEnd: writeForPrograms,
});
