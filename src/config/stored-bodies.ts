import { z } from 'zod';
import { byteSizeWithin } from './byte-size.ts';
import { durationWithin } from './duration.ts';

/** `stored_bodies:` of the file. */
export const storedBodiesSchema = z.strictObject({
  keep: durationWithin('1h', '30d')
    .prefault('7d')
    .describe(
      'How long bodies are kept, but no longer than `requests.retention`. Afterwards they are deleted, within minutes.',
    ),
  max_bytes: byteSizeWithin('1KiB', '1MiB')
    .prefault('256KiB')
    .describe(
      'How much is kept of each body, that of the request and that of the answer; longer ones are cut, and say so.',
    ),
  account_bytes_max: byteSizeWithin('1MiB', '1024GiB')
    .prefault('256MiB')
    .describe('What an account may have in all; beyond it its oldest bodies are deleted.'),
  memory_bytes_max: byteSizeWithin('64KiB', '4GiB')
    .prefault('64MiB')
    .describe(
      'Size of the bodies in memory, of requests that run and on their way to the store, in each process. Beyond it bodies are dropped and counted (`gateway_bodies_dropped_total`); no answer waits for them.',
    ),
  secret: z
    .string()
    .min(32)
    .optional()
    .describe(
      'What bodies are encrypted with, if not with a key made from the secret of the gateway. The same for all gateways that share a database. Bodies that were stored with another one cannot be read any more.',
    )
    .meta({ title: 'a secret', sample: '${BODIES_SECRET}' }),
});
