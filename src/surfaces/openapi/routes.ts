import type { Route } from '../../http/route.ts';
import { type DocumentOptions, openApiDocument } from './document.ts';
import { escapeHtml } from './html.ts';
import { docsPage } from './page.ts';
import { docsScript } from './script.ts';
import { serverUrl } from './server-url.ts';
import { docsStyle } from './style.ts';

/** The deployment settings in the document. A reload may change them between two requests. */
type DocumentSettings = Omit<DocumentOptions, 'serverUrl'>;

/** `GET /openapi.json` and `GET /docs/api` with its stylesheet and script. They need no key. */
export function documentRoutes(settings: () => DocumentSettings): readonly Route[] {
  const template = cachedTemplate();
  return [
    get('/openapi.json', (exchange) => {
      const text = template(settings()).json.replaceAll(placeholder, () => serverUrl(exchange));
      exchange.send(200, 'application/json', text);
    }),
    get('/docs/api', (exchange) => {
      const text = template(settings()).page.replaceAll(placeholder, () => escapeHtml(serverUrl(exchange)));
      exchange.send(200, 'text/html; charset=utf-8', text, pageHeaders);
    }),
    get('/docs/api/style.css', (exchange) => {
      exchange.send(200, 'text/css; charset=utf-8', docsStyle, assetHeaders);
    }),
    get('/docs/api/script.js', (exchange) => {
      exchange.send(200, 'text/javascript; charset=utf-8', docsScript, assetHeaders);
    }),
  ];
}

/** Replaced per request: rendering takes milliseconds, and so each host that a client sends costs no memory. */
const placeholder = 'http://gateway.invalid';

const pageHeaders = [
  'content-security-policy',
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options',
  'nosniff',
  'referrer-policy',
  'no-referrer',
];

const assetHeaders = ['x-content-type-options', 'nosniff', 'cache-control', 'public, max-age=300'];

function get(path: string, handle: Route['handle']): Route {
  return { method: 'GET', path, handle };
}

function cachedTemplate() {
  let cached = { key: '', json: '', page: '' };
  return (settings: DocumentSettings) => {
    const key = JSON.stringify(settings);
    if (cached.key === key) return cached;
    const document = openApiDocument({ ...settings, serverUrl: placeholder });
    cached = { key, json: JSON.stringify(document), page: docsPage(document) };
    return cached;
  };
}
