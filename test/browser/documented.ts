import { endpoints } from '../../src/manage/admin/endpoints.ts';
import type { Endpoint } from '../../src/manage/admin/api/endpoint.ts';

/**
 * Checks a scripted reply against the documented schema of its endpoint, because a page that works with an impossible
 * reply proves nothing. Ignores requests outside of the API, such as signing in.
 */
export function expectDocumented(line: string, reply: unknown): void {
  const endpoint = endpoints.find((each) => `${each.method} ${each.path}` === line) ?? endpoints.find(matches(line));
  if (!endpoint || endpoint.media) return;
  const { error } = endpoint.reply.schema.safeParse(reply);
  if (!error) return;
  const problems = error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`);
  throw new Error(`The scripted reply to ${line} does not match the schema of the API:\n${problems.join('\n')}`);
}

function matches(line: string): (endpoint: Endpoint) => boolean {
  const [wanted = '', target = ''] = line.split(' ');
  const segments = target.split('/');
  return ({ method, path }) => {
    const parts = path.split('/');
    const fits = parts.every((part, index) => part === segments[index] || (part === ':id' && segments[index] !== ''));
    return method === wanted && parts.length === segments.length && fits;
  };
}
