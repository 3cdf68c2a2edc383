import type { Exchange } from '../../http/exchange.ts';
import { HttpFault } from '../../http/fault.ts';
import type { Route } from '../../http/route.ts';
import type { DashboardFile, DashboardFiles } from '../files.ts';

/** Serves the dashboard: one page for all its views, and the built files. These routes need no sign-in. */
export function dashboardRoutes(files: DashboardFiles): readonly Route[] {
  return [
    ...views.map((path) => get(path, (exchange) => sendPage(exchange, files))),
    get('/assets/:file', async (exchange, { file = '' }) => {
      const found = await files.asset(file);
      if (!found) throw new HttpFault('not-found');
      sendAsset(exchange, found);
    }),
    get('/favicon.svg', async (exchange) => {
      const icon = await files.icon();
      if (!icon) throw new HttpFault('not-found');
      const headers = ['cache-control', 'public, max-age=3600', ...securityHeaders(exchange)];
      exchange.send(200, 'image/svg+xml', icon, headers);
    }),
  ];
}

const views = ['/', '/app', '/app/:a', '/app/:a/:b', '/app/:a/:b/:c'];

function get(path: string, handle: Route['handle']): Route {
  return { method: 'GET', path, handle };
}

async function sendPage(exchange: Exchange, files: DashboardFiles): Promise<void> {
  const page = await files.page();
  const headers = ['cache-control', 'no-store', ...securityHeaders(exchange)];
  exchange.send(page ? 200 : 503, 'text/html; charset=utf-8', page ?? notBuilt, headers);
}

function sendAsset(exchange: Exchange, file: DashboardFile): void {
  const { encoding, content } = encodedFor(exchange.header('accept-encoding') ?? '', file);
  const headers = [
    'cache-control',
    'public, max-age=31536000, immutable',
    'vary',
    'accept-encoding',
    ...(encoding === undefined ? [] : ['content-encoding', encoding]),
    ...securityHeaders(exchange),
  ];
  exchange.send(200, file.contentType, content, headers);
}

function encodedFor(accepted: string, { br, gzip, identity }: DashboardFile) {
  const accepts = (name: string) => new RegExp(`(?:^|[,\\s])${name}(?!\\s*;\\s*q=0(?:\\.0*)?(?:,|$))`).test(accepted);
  if (br && accepts('br')) return { encoding: 'br', content: br };
  if (gzip && accepts('gzip')) return { encoding: 'gzip', content: gzip };
  return { encoding: undefined, content: identity };
}

const notBuilt = `<!doctype html>
<html lang="en">
<title>Chat Gateway</title>
<h1>The dashboard is not built</h1>
<p>The gateway is running. Its API is at <a href="/docs">/docs</a>. Build the dashboard in the gateway's folder, then reload this page:</p>
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

/** Headers of all dashboard files: no content of other origins, and no framing. */
function securityHeaders(exchange: Exchange): readonly string[] {
  return [...always, ...(exchange.isSecure ? ['strict-transport-security', 'max-age=31536000'] : [])];
}

const always = [
  'content-security-policy',
  policy,
  'x-content-type-options',
  'nosniff',
  'referrer-policy',
  'no-referrer',
  'cross-origin-opener-policy',
  'same-origin',
  'permissions-policy',
  'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
];
