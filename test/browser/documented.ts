import { endpoints } from '../../src/admin/endpoints.ts';
import type { Endpoint } from '../../src/admin/endpoint.ts';

/**
 * Holds what a test has the API say against what the API says it says: a page that works with an invented reply proves
 * nothing. What belongs to no endpoint of the API, such as signing in, is left alone.
 */
export function expectDocumented(line: string, reply: unknown): void {
  const endpoint = endpoints.find((each) => `${each.method} ${each.path}` === line) ?? endpoints.find(matches(line));
  if (!endpoint || endpoint.media) return;
  const { error } = endpoint.reply.schema.safeParse(reply);
  if (!error) return;
  const told = error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`);
  throw new Error(`The scripted answer to ${line} is none that the API gives:\n${told.join('\n')}`);
}

function matches(line: string): (endpoint: Endpoint) => boolean {
  const [asked = '', target = ''] = line.split(' ');
  const segments = target.split('/');
  return ({ method, path }) => {
    const parts = path.split('/');
    const fits = parts.every((part, index) => part === segments[index] || (part === ':id' && segments[index] !== ''));
    return method === asked && parts.length === segments.length && fits;
  };
}
