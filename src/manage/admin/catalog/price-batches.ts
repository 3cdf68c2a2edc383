import { z } from 'zod';
import { breaks } from '../../../platform/config/file/wording.ts';
import { type Endpoint, writeEndpoint } from '../api/endpoint.ts';
import { versionSchema } from '../api/wire.ts';
import { resourceDocument, resourceReply } from './resources.ts';
import { storedResources } from '../api/stored-resources.ts';

/** More than a catalog has. All prices of a batch are changed in one transaction. */
const pricesMax = 500;

const newPrice = z.strictObject({
  model: z.string().min(1).max(256).describe('The `id` of an added model.'),
  version: versionSchema.optional().describe('The version that the model must have. Left out: any.'),
  // `changePrices` validates each one, so that the error names all invalid prices.
  price: z.record(z.string(), z.unknown()).describe('As `price` of a model. It replaces all prices of the model.'),
});

export const priceBatchEndpoint: Endpoint = writeEndpoint('POST /admin/v1/price-batches', 'changePrices', 'operator', {
  summary:
    'Change the prices of many added models, all or none. An error names every price that is not valid, and why.',
  body: {
    name: 'NewPrices',
    schema: z.strictObject({
      prices: z
        .array(newPrice)
        .min(1)
        .max(pricesMax)
        .refine((prices) => new Set(prices.map(({ model }) => model)).size === prices.length, breaks('named_twice')),
    }),
  },
  reply: {
    name: 'ChangedPrices',
    schema: z.strictObject({ data: z.array(resourceReply.schema) }),
    inside: [resourceReply],
  },
  run: async ({ parts, body: { prices } }) => {
    const rows = await storedResources(parts).changePrices(prices);
    const side = ({ name, spec }: (typeof rows)[number]['after']) => ({ model: name, price: spec.price });
    const change = {
      kind: 'model',
      id: `${rows.length} models`,
      before: { prices: rows.map(({ before }) => side(before)) },
      after: { prices: rows.map(({ after }) => side(after)) },
    };
    return { reply: { data: rows.map(({ after }) => resourceDocument(after)) }, change };
  },
});
