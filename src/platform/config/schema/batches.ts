import { prefault, z } from 'zod';
import { byteSizeWithin } from './values/byte-size.ts';
import { durationWithin } from './values/duration.ts';
import { bool, whole } from './fields.ts';

/** Files that clients upload, and batches of requests that run on idle slots. */
export const batchesSchema = z.strictObject({
  lines_at_once: prefault(whole(1, 1000), 32).describe(
    'How many lines of all batches each process runs at once. A line that waits for its first slot holds no money. Twice the slots of all upstreams is enough.',
  ),
  repeat_interrupted: prefault(bool, true).describe(
    'Whether a line runs again if its gateway process is killed during the answer. The account gets back what it was charged for the lost part, so the operator pays for it. If `false`, the charge stays, and the line ends with `request_interrupted`.',
  ),
  lines_max: prefault(whole(1, 100_000), 50_000).describe('Maximum number of requests in an input file.'),
  account_batches_max: prefault(whole(1, 100_000), 200).describe(
    'How many batches of one account may be unfinished. Beyond it, new ones are refused until one ends.',
  ),
  account_lines_max: prefault(whole(1, 100_000_000), 500_000).describe(
    'How many requests the unfinished batches of one account may have together. Beyond it, new batches are refused until one ends. The stored output files of the account may have 16 KiB for each of these requests; beyond it, new batches are refused until some of the files are deleted.',
  ),
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
    'Maximum total size of the uploaded files and message batches of one account. Encryption makes them a third larger. Beyond it, uploads are refused. Output files do not count.',
  ),
  account_files_max: prefault(whole(1, 1_000_000), 1000).describe(
    'Maximum number of uploaded files of one account. Beyond it, uploads are refused. Output files do not count.',
  ),
  free_bytes_min: prefault(byteSizeWithin('1MiB', '1024GiB'), '256MiB').describe(
    'Uploads are refused while the embedded store has less space left on its disk. So the store keeps room for charges and deletions. A PostgreSQL database watches its own disk.',
  ),
  retention: prefault(durationWithin('1h', '365d'), '30d').describe(
    'How long an ended batch, its output files and uploaded batch files are kept, unless the client says otherwise.',
  ),
});
