import { z } from 'zod';
import { resourceKinds } from '../../../platform/config/schema/resource.ts';
import { type Endpoint, writeEndpoint } from '../api/endpoint.ts';
import { resourceDocument, resourceReply } from './resources.ts';
import { storedResources } from '../api/stored-resources.ts';

/** More than any provider lists. All models of a batch are added in one transaction. */
const modelsMax = 500;

export const modelBatchEndpoint: Endpoint = writeEndpoint('POST /admin/v1/model-batches', 'addModels', 'operator', {
  summary: 'Add many models, all or none. An error names every model that does not fit, and why.',
  body: {
    name: 'NewModels',
    schema: z.strictObject({
      // `addModels` validates each one together with the others, so that the error names all invalid models.
      models: z
        .array(z.record(z.string(), z.unknown()))
        .min(1)
        .max(modelsMax)
        .describe(`Each one as for \`POST /admin/v1/${resourceKinds.model.section}\`.`),
    }),
  },
  reply: {
    name: 'AddedModels',
    schema: z.strictObject({ data: z.array(resourceReply.schema) }),
    inside: [resourceReply],
  },
  run: async ({ parts, body }) => {
    const rows = await storedResources(parts).addModels(body.models);
    const data = rows.map(resourceDocument);
    return { reply: { data }, change: { kind: 'model', id: `${rows.length} models`, after: { models: data } } };
  },
});
