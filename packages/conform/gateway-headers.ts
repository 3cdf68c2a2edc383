import type { ReceivedReply } from './client.ts';
import { isText } from './json.ts';
import { expectThat } from './outcome.ts';
import { show } from './wording.ts';

const stamp = /^(\d{4})(\d{2})(\d{2})-(\d{2})(\d{2})(\d{2})$/;

/** Requires both gateway headers, in the right format. */
export function expectHeaders(reply: ReceivedReply): void {
  const version = reply.headers['x-gateway-version'];
  const isValid = typeof version === 'string' && isStamp(version);
  expectThat(isValid, `x-gateway-version like 20260102-030405 on the ${reply.status}`, show(version));
  const id = reply.headers['x-gateway-request-id'];
  expectThat(isText(id), `x-gateway-request-id on the ${reply.status}`, show(id));
}

function isStamp(version: string): boolean {
  const iso = version.replace(stamp, '$1-$2-$3T$4:$5:$6Z');
  return stamp.test(version) && !Number.isNaN(Date.parse(iso));
}
