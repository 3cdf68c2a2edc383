import type { IncomingMessage } from 'node:http';
import { HttpFault } from './fault.ts';

/** Rejects a request that a proxy in front of the gateway could interpret differently. Undefined if it is valid. */
export function admissionFault(request: IncomingMessage, headersMax: number): HttpFault | undefined {
  return (
    versionFault(request) ??
    headerCountFault(request, headersMax) ??
    hostFault(request) ??
    targetFault(request) ??
    framingFault(request) ??
    expectationFault(request)
  );
}

export function pathOf(target: string): string {
  const origin = originForm(target);
  const end = origin.indexOf('?');
  return end === -1 ? origin : origin.slice(0, end);
}

/** The target without scheme and authority. `targetFault` has compared the authority with the Host header. */
function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Whether the client waits for `100 Continue` before it sends its body. */
export function expectsContinue(request: IncomingMessage): boolean {
  return request.headers.expect?.toLowerCase() === '100-continue' && request.httpVersionMinor === 1;
}

function versionFault(request: IncomingMessage): HttpFault | undefined {
  if (request.httpVersionMajor === 1 && request.httpVersionMinor <= 1) return undefined;
  return new HttpFault('bad-request', 'Only HTTP/1.1 and HTTP/1.0 are supported.');
}

function headerCountFault(request: IncomingMessage, headersMax: number): HttpFault | undefined {
  if (request.rawHeaders.length <= headersMax * 2) return undefined;
  return new HttpFault('headers-too-large', `The request has more than ${headersMax} headers. Send fewer.`);
}

/** Accepts a name, an IPv4 address or an IPv6 address in brackets, each with an optional port. */
export function isValidHost(host: string): boolean {
  return validHost.test(host);
}

const validHost = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d*)?$/i;

function hostFault(request: IncomingMessage): HttpFault | undefined {
  const { host } = request.headers;
  if (host === undefined) {
    if (request.httpVersionMinor === 0) return undefined;
    return new HttpFault('bad-request', 'The request has no Host header. Send exactly one.');
  }
  if (countHeader(request.rawHeaders, 'host') > 1) {
    return new HttpFault('bad-request', 'The request has more than one Host header. Send exactly one.');
  }
  return isValidHost(host) ? undefined : new HttpFault('bad-request', 'The Host header is not a valid host.');
}

function targetFault({ url = '', method, headers }: IncomingMessage): HttpFault | undefined {
  if (url.includes('%00')) {
    return new HttpFault('bad-request', 'The request target contains a NUL character (%00). Remove it.');
  }
  if (!url.includes('#')) {
    if (url.startsWith('/') || (url === '*' && method === 'OPTIONS')) return undefined;
    const authority = /^https?:\/\/([^/?]*)/i.exec(url)?.[1];
    if (authority !== undefined && authority.toLowerCase() === headers.host?.toLowerCase()) return undefined;
  }
  return new HttpFault(
    'bad-request',
    'The request target must be a path, or an address whose host equals the Host header.',
  );
}

function framingFault({ headers, httpVersionMinor }: IncomingMessage): HttpFault | undefined {
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return undefined;
  if (coding.toLowerCase() === 'chunked' && httpVersionMinor === 1 && headers['content-length'] === undefined) {
    return undefined;
  }
  return new HttpFault(
    'bad-request',
    'The only supported Transfer-Encoding is chunked, without Content-Length and over HTTP/1.1.',
  );
}

function expectationFault({ headers, httpVersionMinor }: IncomingMessage): HttpFault | undefined {
  if (headers.expect === undefined || httpVersionMinor === 0) return undefined;
  return headers.expect.toLowerCase() === '100-continue' ? undefined : new HttpFault('expectation-failed');
}

export function hostName(host: string | undefined): string {
  return (host ?? '').replace(/:\d*$/, '').toLowerCase();
}

/** How often a header was sent. Node keeps only the first of some headers and joins others. `name` is lower case. */
export function countHeader(rawHeaders: readonly string[], name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index];
    if (sent?.length === name.length && sent.toLowerCase() === name) count += 1;
  }
  return count;
}
