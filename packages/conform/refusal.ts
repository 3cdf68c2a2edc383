import type { ReceivedReply } from './client.ts';
import { at, isObject, isText, parsed } from './json.ts';
import { expectThat } from './outcome.ts';
import { describe, show } from './wording.ts';

const errorTypes = ['authentication_error', 'gateway_error', 'upstream_error'];

/** Requires one row of the contract's error table, in the common envelope. */
export function expectError(reply: ReceivedReply, status: number, code: string, type: string): void {
  const error = at(parsed(reply.text), 'error');
  expectThat(
    reply.status === status && at(error, 'code') === code && at(error, 'type') === type,
    `${status} ${type} with code "${code}"`,
    describe(reply),
  );
  expectEnvelope(reply);
}

/** Requires that the gateway or its upstream rejects an invalid value with 400. */
export function expectRejected(reply: ReceivedReply, fields: unknown): void {
  const error = at(parsed(reply.text), 'error');
  const type = at(error, 'type');
  expectThat(
    reply.status === 400 && (type === 'gateway_error' || type === 'upstream_error') && isText(at(error, 'code')),
    `400, with a code, for ${show(fields)}`,
    describe(reply),
  );
  expectEnvelope(reply);
}

/** Requires the common parts of an error: the JSON envelope, and the request id in the message. */
export function expectEnvelope(reply: ReceivedReply): void {
  expectThat(reply.mediaType === 'application/json', 'an error as application/json', describe(reply));
  const error = at(parsed(reply.text), 'error');
  expectThat(isObject(error), 'a JSON body with an `error` object', describe(reply));
  expectThat(typeof error.code === 'string', 'error.code to be a string', show(error));
  expectThat(
    errorTypes.includes(error.type as string),
    `error.type to be one of ${errorTypes.join(', ')}`,
    show(error),
  );
  expectThat(typeof error.message === 'string', 'error.message to be a string', show(error));
  const quoted = `(request id: ${String(reply.headers['x-gateway-request-id'])})`;
  expectThat(error.message.includes(quoted), `error.message to contain "${quoted}"`, show(error.message));
  if (error.param === undefined) return;
  expectThat(
    error.param === '' && error.type === 'upstream_error',
    'param only on upstream_error, and empty',
    show(error),
  );
}

/** Whether the gateway accepted the request and the upstream rejected it. */
export function isUpstreamRejection(reply: ReceivedReply): boolean {
  return reply.status === 400 && at(parsed(reply.text), 'error', 'type') === 'upstream_error';
}
