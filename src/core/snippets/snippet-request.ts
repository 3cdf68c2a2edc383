import type { PassThroughEndpoint } from '../pass-through-endpoint.ts';

export type SnippetEndpoint = 'chat' | 'messages' | 'responses' | 'models' | PassThroughEndpoint;

/** The request that a snippet sends, or the model that a coding agent is to use. */
export interface SnippetRequest {
  readonly endpoint: SnippetEndpoint;
  /** The base URL for clients of the endpoint. It ends in `/v1`, except for messages. */
  readonly baseUrl: string;
  /** Without it, the snippet reads the variable `GATEWAY_KEY`. */
  readonly key?: string | undefined;
  /** Default: the placeholder `MODEL_ID`. */
  readonly model?: string;
  /** Default: `Hello!` */
  readonly prompt?: string;
  /** Fields of the request, instead of the prompt. For the AI SDK, the options of `streamText`. */
  readonly body?: object;
  /** Puts a curl command on one line. */
  readonly isOneLine?: boolean;
}

/** A request with its defaults filled in. */
export interface SnippetValues extends SnippetRequest {
  readonly url: string;
  readonly model: string;
  readonly prompt: string;
  /** The fields of the request on the wire. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export function withDefaults(request: SnippetRequest): SnippetValues {
  const { endpoint, baseUrl, model = 'MODEL_ID', prompt = 'Hello!', body } = request;
  const [path, example] = endpoints[endpoint];
  return { ...request, url: `${baseUrl}/${path}`, model, prompt, fields: { model, ...(body ?? example(prompt)) } };
}

type Example = (prompt: string) => object;

/** The path of each endpoint below its base URL, and the fields of a short request. Examples stream if they can. */
const endpoints: Readonly<Record<SnippetEndpoint, readonly [path: string, example: Example]>> = {
  chat: ['chat/completions', (prompt) => ({ messages: [{ role: 'user', content: prompt }], stream: true })],
  messages: [
    'v1/messages',
    (prompt) => ({ max_tokens: 1024, messages: [{ role: 'user', content: prompt }], stream: true }),
  ],
  responses: ['responses', (prompt) => ({ input: prompt, stream: true })],
  models: ['models', () => ({})],
  embeddings: ['embeddings', () => ({ input: ['first text', 'second text'] })],
  rerank: ['rerank', () => ({ query: 'fair queue', documents: ['about queues', 'about cooking'] })],
  moderations: ['moderations', () => ({ input: 'Is this all right?' })],
  images: ['images/generations', () => ({ prompt: 'a gate by the sea', n: 1 })],
  speech: ['audio/speech', () => ({ input: 'Good morning', voice: 'alloy' })],
  transcriptions: ['audio/transcriptions', () => ({})],
};
