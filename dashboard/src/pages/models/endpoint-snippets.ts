import type { Snippet } from '../../components/code-block.tsx';
import type { SnippetValues } from './snippet-values.ts';

const bodies: Readonly<Record<string, readonly [path: string, fields: object]>> = {
  embeddings: ['embeddings', { input: ['first text', 'second text'] }],
  rerank: ['rerank', { query: 'fair queue', documents: ['about queues', 'about cooking'] }],
  moderations: ['moderations', { input: 'Is this all right?' }],
  images: ['images/generations', { prompt: 'a gate by the sea', n: 1 }],
  speech: ['audio/speech', { input: 'Good morning', voice: 'alloy' }],
};

/** Code samples for a model without a chat surface. */
export function endpointSnippets({
  baseUrls,
  model,
  endpoints = [],
  key = '$GATEWAY_KEY',
}: SnippetValues): readonly Snippet[] {
  return endpoints.map((name) => {
    const [path = 'audio/transcriptions', fields] = bodies[name] ?? [];
    const lines = [`curl ${baseUrls.openai}/${path}`, `-H "Authorization: Bearer ${key}"`];
    const body = fields
      ? ['-H "Content-Type: application/json"', `-d '${JSON.stringify({ model, ...fields })}'`]
      : [`-F model=${model}`, '-F file=@recording.mp3'];
    return { name: `curl (${name})`, code: [...lines, ...body].join(' \\\n  ') };
  });
}
