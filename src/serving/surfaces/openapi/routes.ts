import type { Route } from '../../http/route.ts';
import { type DocumentOptions, openApiDocument } from './document.ts';
import { serverUrl } from './server-url.ts';

/** The deployment settings in the document. A reload may change them between two requests. */
type DocumentSettings = Omit<DocumentOptions, 'serverUrl'>;

/** `GET /openapi.json`. It needs no key. */
export function documentRoutes(settings: () => DocumentSettings): readonly Route[] {
  let cached = { key: '', text: '' };
  const template = (current: DocumentSettings): string => {
    const key = JSON.stringify(current);
    if (cached.key !== key)
      cached = { key, text: JSON.stringify(openApiDocument({ ...current, serverUrl: placeholder })) };
    return cached.text;
  };
  return [
    {
      method: 'GET',
      path: '/openapi.json',
      handle: (exchange) => {
        const text = template(settings()).replaceAll(placeholder, () => serverUrl(exchange));
        exchange.send(200, 'application/json', text);
      },
    },
  ];
}

/** Replaced per request: rendering takes milliseconds, and so each host that a client sends costs no memory. */
const placeholder = 'http://gateway.invalid';
