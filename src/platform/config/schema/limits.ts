import { prefault, z } from 'zod';
import { whole } from './fields.ts';
import { byteSizeWithin } from './values/byte-size.ts';
import { duration } from './values/duration.ts';

/** Limits on the size and the speed of client requests. */
export const limitsSchema = z.strictObject({
  header_bytes_max: prefault(byteSizeWithin('1KiB', '1MiB'), 16_384).describe(
    'Request line and headers together; more is answered with 431.',
  ),
  headers_max: whole(10, 2000).prefault(200).describe('Number of headers; more is answered with 431.'),
  body_bytes_max: byteSizeWithin('1KiB', '512MiB').prefault('32MiB').describe('Body; more is answered with 413.'),
  json_depth_max: prefault(whole(8, 1000), 64).describe(
    'Nesting of objects and arrays in a body; deeper ones count as unparseable.',
  ),
  json_tokens_max: prefault(whole(1000, 10_000_000), 200_000).describe(
    'Values and names in a body; a body with more would block other requests and counts as unparseable.',
  ),
  headers_timeout: duration.prefault('10s').describe('Until the headers have arrived; a slower request gets 408.'),
  request_timeout: duration.prefault('30s').describe('Until the whole request has arrived; a slower one gets 408.'),
  keep_alive_timeout: duration.prefault('75s').describe('How long an idle connection is kept for the next request.'),
  reader_stall_timeout: prefault(duration, '60s').describe(
    'How long a client may stop reading its answer before the connection is closed.',
  ),
  connections_max: prefault(whole(1, 1_000_000), 20_000).describe(
    'Connections that are served at once; further ones are accepted, but wait until others close.',
  ),
});
