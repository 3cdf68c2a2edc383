import type { PassThroughEndpoint } from '../chat/pass-through-endpoint.ts';

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
  /** What fits into the model, for agents that do not read it from the catalog. */
  readonly limits?: { readonly contextWindow: number; readonly outputTokens: number } | undefined;
  /** Default: `Hello!` */
  readonly prompt?: string;
  /** Fields of the request, instead of the prompt. For the AI SDK, the options of `streamText`. */
  readonly body?: object;
  /** Puts a curl command on one line. */
  readonly isOneLine?: boolean;
}

export interface SnippetValues extends SnippetRequest {
  readonly url: string;
  readonly model: string;
  readonly prompt: string;
  /** The fields of the request on the wire. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export function withDefaults(request: SnippetRequest): SnippetValues {
  const { endpoint, baseUrl, model = 'MODEL_ID', prompt = 'Hello!', body } = request;
  const fields = { model, ...(body ?? exampleFields(endpoint, prompt)) };
  return { ...request, url: `${baseUrl}/${paths[endpoint]}`, model, prompt, fields };
}

const paths: Readonly<Record<SnippetEndpoint, string>> = {
  chat: 'chat/completions',
  messages: 'v1/messages',
  responses: 'responses',
  models: 'models',
  embeddings: 'embeddings',
  rerank: 'rerank',
  moderations: 'moderations',
  images: 'images/generations',
  speech: 'audio/speech',
  transcriptions: 'audio/transcriptions',
};

/** The fields of a short request. It streams if it can. */
function exampleFields(endpoint: SnippetEndpoint, prompt: string): object | undefined {
  const chat = { messages: [{ role: 'user', content: prompt }], stream: true };
  const examples: Partial<Record<SnippetEndpoint, object>> = {
    chat,
    messages: { max_tokens: 1024, ...chat },
    responses: { input: prompt, stream: true },
    embeddings: { input: ['first text', 'second text'] },
    rerank: { query: 'fair queue', documents: ['about queues', 'about cooking'] },
    moderations: { input: 'Is this all right?' },
    images: { prompt: 'a gate by the sea', n: 1 },
    speech: { input: 'Good morning', voice: 'alloy' },
  };
  return examples[endpoint];
}
