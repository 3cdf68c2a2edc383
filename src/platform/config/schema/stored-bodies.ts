import { optional, prefault, z } from 'zod';
import { byteSizeWithin } from './values/byte-size.ts';
import { durationWithin } from './values/duration.ts';

export const storedBodiesSchema = z.strictObject({
  keep: prefault(durationWithin('1h', '30d'), '7d').describe(
    'How long bodies are kept, at most `requests.retention`. After that, they are deleted within minutes.',
  ),
  max_bytes: prefault(byteSizeWithin('1KiB', '1MiB'), '256KiB').describe(
    'How much of each body is kept, of the request and of the answer. Longer bodies are truncated and marked as truncated.',
  ),
  account_bytes_max: prefault(byteSizeWithin('1MiB', '1024GiB'), '256MiB').describe(
    'Maximum total size of the stored bodies of one account. Beyond it, the oldest are deleted.',
  ),
  memory_bytes_max: prefault(byteSizeWithin('64KiB', '4GiB'), '64MiB').describe(
    'Maximum memory for bodies in each process: those of running requests and those not yet stored. Beyond it, bodies are dropped and counted (`gateway_bodies_dropped_total`); no answer waits for them.',
  ),
  secret: optional(z.string().min(32))
    .describe(
      'Secret that encrypts the bodies; if left out, a key derived from the secret of the gateway. It must be the same for all gateways that share a database. Bodies that were stored with another secret can no longer be read.',
    )
    .meta({ title: 'a secret', sample: '${BODIES_SECRET}' }),
});
