import type { Exchange } from '../../../serving/http/exchange.ts';
import { HttpFault } from '../../../serving/http/fault.ts';
import type { Route } from '../../../serving/http/route.ts';
import type { BuiltFiles } from '../files.ts';
import { fileHeaders, getRoute, sendFile } from './file-replies.ts';

/** Serves the dashboard: one page for all its views, and the built files. These routes need no sign-in. */
export function dashboardRoutes(files: BuiltFiles): readonly Route[] {
  return [
    ...views.map((path) => getRoute(path, (exchange) => sendPage(exchange, files))),
    getRoute('/assets/:file', async (exchange, { file = '' }) => {
      const found = await files.file(`assets/${file}`);
      if (!found) throw new HttpFault('not-found');
      sendFile(exchange, found, { caching: 'public, max-age=31536000, immutable', policy });
    }),
    getRoute('/favicon.svg', async (exchange) => {
      const icon = await files.file('favicon.svg');
      if (!icon) throw new HttpFault('not-found');
      sendFile(exchange, icon, { caching: 'public, max-age=3600', policy });
    }),
  ];
}

const views = ['/', '/app', '/app/:a', '/app/:a/:b', '/app/:a/:b/:c'];

async function sendPage(exchange: Exchange, files: BuiltFiles): Promise<void> {
  const page = await files.file('index.html');
  const terms = { caching: 'no-store', policy };
  if (page) return sendFile(exchange, page, terms);
  exchange.send(503, 'text/html; charset=utf-8', notBuilt, fileHeaders(exchange, terms));
}

const notBuilt = `<!doctype html>
<html lang="en">
<title>Chat Gateway</title>
<h1>The dashboard is not built</h1>
<p>The gateway is running. Its API is at <a href="/openapi.json">/openapi.json</a>. Build the dashboard in the gateway's folder, then reload this page:</p>
<pre>npm run build:dashboard</pre>
</html>
`;

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Components position themselves with style attributes; style elements and inline scripts stay forbidden.
  "style-src-attr 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
