import type { ReceivedReply } from './client.ts';
import { at, isObject, isText, parsed } from './json.ts';
import { expectThat } from './outcome.ts';
import { describe, show } from './wording.ts';

const errorTypes = ['authentication_error', 'gateway_error', 'upstream_error'];

/** Requires one row of the contract's error table, in the common envelope. */
export function expectError(answer: ReceivedReply, status: number, code: string, type: string): void {
  const error = at(parsed(answer.text), 'error');
  expectThat(
    answer.status === status && at(error, 'code') === code && at(error, 'type') === type,
    `${status} ${type} with code "${code}"`,
    describe(answer),
  );
  expectEnvelope(answer);
}

/** Requires that the gateway or its upstream rejects an invalid value with 400. */
export function expectRejected(answer: ReceivedReply, fields: unknown): void {
  const error = at(parsed(answer.text), 'error');
  const type = at(error, 'type');
  expectThat(
    answer.status === 400 && (type === 'gateway_error' || type === 'upstream_error') && isText(at(error, 'code')),
    `400, with a code, for ${show(fields)}`,
    describe(answer),
  );
  expectEnvelope(answer);
}

/** Requires the common parts of an error: the JSON envelope, and the request id in the message. */
export function expectEnvelope(answer: ReceivedReply): void {
  expectThat(answer.mediaType === 'application/json', 'an error as application/json', describe(answer));
  const error = at(parsed(answer.text), 'error');
  expectThat(isObject(error), 'a JSON body with an `error` object', describe(answer));
  expectThat(typeof error.code === 'string', 'error.code to be a string', show(error));
  expectThat(
    errorTypes.includes(error.type as string),
    `error.type to be one of ${errorTypes.join(', ')}`,
    show(error),
  );
  expectThat(typeof error.message === 'string', 'error.message to be a string', show(error));
  const quoted = `(request id: ${String(answer.headers['x-gateway-request-id'])})`;
  expectThat(error.message.includes(quoted), `error.message to contain "${quoted}"`, show(error.message));
  if (error.param === undefined) return;
  expectThat(
    error.param === '' && error.type === 'upstream_error',
    'param only on upstream_error, and empty',
    show(error),
  );
}

/** Whether the gateway accepted the request and the upstream rejected it. */
export function isUpstreamRejection(answer: ReceivedReply): boolean {
  return answer.status === 400 && at(parsed(answer.text), 'error', 'type') === 'upstream_error';
}
