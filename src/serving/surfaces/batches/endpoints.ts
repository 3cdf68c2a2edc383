/** The endpoints of batches, and the surface or pass-through endpoint that their models need. */
export const batchEndpoints = {
  '/v1/chat/completions': 'openai',
  '/v1/completions': 'openai',
  '/v1/responses': 'openai-response',
  '/v1/messages': 'anthropic',
  '/v1/embeddings': 'embeddings',
} as const;

export type BatchEndpoint = keyof typeof batchEndpoints;

export function isBatchEndpoint(endpoint: string): endpoint is BatchEndpoint {
  return Object.hasOwn(batchEndpoints, endpoint);
}
