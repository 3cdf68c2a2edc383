import { makeLink } from '../src/money/accounts/one-time-links.ts';
import { systemClock } from '../src/core/time/clock.ts';
import type { Gateway } from '../src/app/gateway.ts';
import { expectGatewayHeaders } from './expectations.ts';
import type { GatewayReply } from './gateways/gateway.ts';

/** A browser on the dashboard: it keeps cookies, and sends `Origin` as the dashboard's pages do. */
export interface Browser {
  readonly cookies: Map<string, string>;
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<GatewayReply>;
  /** Expects success, and returns the JSON body. */
  get(path: string, headers?: Record<string, string>): Promise<GatewayReply['json']>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<GatewayReply['json']>;
}

export const goodPassword = 'correct horse battery';

export function newBrowser(url: string): Browser {
  const cookies = new Map<string, string>();
  async function send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<GatewayReply> {
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(cookies.size > 0 && { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
        ...(method !== 'GET' && { origin: url }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      const end = pair.indexOf('=');
      const name = pair.slice(0, end);
      if (/max-age=0/i.test(cookie)) cookies.delete(name);
      else cookies.set(name, pair.slice(end + 1));
    }
    const text = await response.text();
    const reply = {
      status: response.status,
      headers: response.headers,
      text,
      json: text.startsWith('{') ? JSON.parse(text) : undefined,
    };
    expectGatewayHeaders(reply);
    return reply;
  }
  async function success(reply: Promise<GatewayReply>): Promise<GatewayReply['json']> {
    const { status, text, json } = await reply;
    if (status !== 200) throw new Error(`${status} ${text}`);
    return json;
  }
  return {
    cookies,
    send,
    get: (path, headers) => success(send('GET', path, undefined, headers)),
    post: (path, body, headers) => success(send('POST', path, body, headers)),
  };
}

/** The secret of a setup link. It makes its user the owner. */
export async function setupToken({ store, pepper }: Pick<Gateway, 'store' | 'pepper'>): Promise<string> {
  return (await makeLink({ store, pepper, clock: systemClock }, { kind: 'setup' }, 'test')).secret;
}

/** A browser in which the first owner is signed in. */
export async function ownerBrowser(gateway: Gateway, url: string, email = 'owner@example.com'): Promise<Browser> {
  const browser = newBrowser(url);
  const token = await setupToken(gateway);
  await browser.post('/auth/setup', { token, email, name: 'The owner', password: goodPassword });
  return browser;
}
