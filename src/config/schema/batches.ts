import { prefault, z } from 'zod';
import { byteSizeWithin } from './byte-size.ts';
import { durationWithin } from './duration.ts';
import { whole } from './fields.ts';

/** Files that clients upload, and batches of requests that run on idle slots. */
export const batchesSchema = z.strictObject({
  lines_at_once: prefault(whole(1, 1000), 32).describe(
    'How many lines of all batches each process runs at once. Each one holds money for its request, also while it waits for an idle slot. Twice the slots of all upstreams is enough.',
  ),
  lines_max: prefault(whole(1, 100_000), 50_000).describe('Maximum number of requests in an input file.'),
  background_max: prefault(whole(0, 100_000), 100).describe(
    'How many responses of one account may wait or run in the background (`background: true`). Beyond it, new ones are refused; 0 refuses all.',
  ),
  file_bytes_max: prefault(byteSizeWithin('1KiB', '2GiB'), '200MiB').describe(
    'Maximum size of one uploaded file. It is written to the store as it arrives, encrypted.',
  ),
  message_batch_bytes_max: prefault(byteSizeWithin('1KiB', '2GiB'), '256MiB').describe(
    'Maximum size of the body that creates a message batch. It is written to the store as it arrives, encrypted. Each request in it is limited by `limits.body_bytes_max`.',
  ),
  account_bytes_max: prefault(byteSizeWithin('1MiB', '1024GiB'), '2GiB').describe(
    'Maximum total size of the stored files of one account. Encryption makes them a third larger. Beyond it, uploads are refused.',
  ),
  account_files_max: prefault(whole(1, 1_000_000), 1000).describe(
    'Maximum number of files of one account. Beyond it, uploads are refused.',
  ),
  retention: prefault(durationWithin('1h', '365d'), '30d').describe(
    'How long an ended batch, its output files and uploaded batch files are kept, unless the client says otherwise.',
  ),
});
