import { z } from 'zod';
import { resourceKinds } from '../config/resource.ts';
import { type Endpoint, writing } from './endpoint.ts';
import { resourceDocument, resourceReply } from './resources.ts';
import { storedResources } from './stored-resources.ts';

/** More than any provider lists at once; one transaction has them all. */
const modelsMax = 500;

/** Many models at once, as a provider lists them. */
export const modelBatchEndpoint: Endpoint = writing({
  method: 'POST',
  path: '/admin/v1/model-batches',
  operationId: 'addModels',
  summary: 'Add many models, all of them or none. A refusal says of each that does not fit why.',
  access: 'operator',
  body: {
    name: 'NewModels',
    schema: z.strictObject({
      // Each is held against its schema where the others are known, so that a refusal names all that are wrong.
      models: z
        .array(z.record(z.string(), z.unknown()))
        .min(1)
        .max(modelsMax)
        .describe(`Each written as for \`POST /admin/v1/${resourceKinds.model.section}\`.`),
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
