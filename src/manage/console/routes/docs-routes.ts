import { createHash } from 'node:crypto';
import type { Exchange } from '../../../serving/http/exchange.ts';
import { HttpFault } from '../../../serving/http/fault.ts';
import type { Route } from '../../../serving/http/route.ts';
import type { BuiltFile, BuiltFiles } from '../files.ts';
import { fileHeaders, getRoute, sendFile } from './file-replies.ts';

/** Serves the documentation site of this version under `/docs`. These routes need no sign-in. */
export function docsRoutes(files: BuiltFiles): readonly Route[] {
  return [
    getRoute('/docs', (exchange) => sendPage(exchange, files, 'index')),
    getRoute('/docs/', (exchange) => sendPage(exchange, files, 'index')),
    getRoute('/docs/:folder/', (exchange, { folder }) => sendPage(exchange, files, `${folder}/index`)),
    getRoute('/docs/*path', async (exchange, { path = '' }) => {
      const found = await files.file(path);
      if (!found) return sendPage(exchange, files, path);
      const caching = path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'public, max-age=300';
      sendFile(exchange, found, { caching, policy: policy([]) });
    }),
  ];
}

async function sendPage(exchange: Exchange, files: BuiltFiles, path: string): Promise<void> {
  const page = (await files.file(`${path}.html`)) ?? (await files.file(`${path}/index.html`));
  if (page) return sendHtml(exchange, page, 200);
  if (path !== 'index') return sendMissing(exchange, files);
  exchange.send(
    503,
    'text/html; charset=utf-8',
    notBuilt,
    fileHeaders(exchange, { caching: 'no-store', policy: policy([]) }),
  );
}

/** A browser gets a page. Other programs get the error of all endpoints. */
async function sendMissing(exchange: Exchange, files: BuiltFiles): Promise<void> {
  const page = exchange.header('accept')?.includes('text/html') ? await files.file('404.html') : undefined;
  if (!page) throw new HttpFault('not-found');
  sendHtml(exchange, page, 404);
}

function sendHtml(exchange: Exchange, page: BuiltFile, status: number): void {
  sendFile(exchange, page, { status, caching: 'no-cache', policy: policy(inlineScripts(page.identity.toString())) });
}

/** The digests of the scripts that the site's builder writes into its pages. The policy allows these and no others. */
function inlineScripts(page: string): readonly string[] {
  const scripts = [...page.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([^]*?)<\/script>/g)].map(([, text = '']) => text);
  return scripts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
}

function policy(scripts: readonly string[]): string {
  return [
    "default-src 'none'",
    `script-src ${["'self'", ...scripts].join(' ')}`,
    // Highlighted code has its colours in style attributes, and the theme switch adds a style element.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

const notBuilt = `<!doctype html>
<html lang="en">
<title>Chat Gateway</title>
<h1>The documentation is not built</h1>
<p>The API is described at <a href="/openapi.json">/openapi.json</a>. The pages are in the folder <code>docs</code> of the sources. To
read them here, build them in the gateway's folder, then reload this page:</p>
<pre>npm run build:docs</pre>
</html>
`;
