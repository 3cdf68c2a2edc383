import { z } from 'zod';
import { breaks } from '../../file/wording.ts';

const unitBytes = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;

/** A size such as `16384`, `512KiB` or `32MiB`, parsed into bytes. Both bounds are included. */
export function byteSizeWithin(least: string, most: string) {
  return z
    .preprocess(
      (value) => (typeof value === 'number' ? `${value}B` : value),
      z
        .string()
        .regex(/^\d{1,15}(B|KiB|MiB|GiB)?$/, {
          ...breaks('not_a_size', { examples: '16384, 512KiB or 32MiB' }),
          abort: true,
        })
        .refine(
          (text) => byteCount(text) >= byteCount(least) && byteCount(text) <= byteCount(most),
          breaks('out_of_range', { min: least, max: most }),
        )
        .transform(byteCount),
    )
    .meta({ title: 'a size', sample: '16384, 512KiB, 32MiB', type: ['string', 'integer'] });
}

function byteCount(text: string): number {
  const unit = (text.replace(/^\d+/, '') || 'B') as keyof typeof unitBytes;
  return Number.parseInt(text, 10) * unitBytes[unit];
}
