/** The operation name of each endpoint in the GenAI conventions. Endpoints without an entry are `chat`. */
const operations: Readonly<Record<string, string>> = {
  completions: 'text_completion',
  embeddings: 'embeddings',
  rerank: 'rerank',
  moderations: 'moderation',
  images: 'generate_content',
  speech: 'generate_content',
  transcriptions: 'transcription',
};

const exactPaths: Readonly<Record<string, string>> = {
  '/v1/chat/completions': 'chat_completions',
  '/v1/completions': 'completions',
  '/v1/responses': 'responses',
  '/v1/embeddings': 'embeddings',
  '/v1/rerank': 'rerank',
  '/v1/moderations': 'moderations',
  '/v1/images/generations': 'images',
  '/v1/audio/speech': 'speech',
  '/v1/audio/transcriptions': 'transcriptions',
  '/v1/models': 'models',
  '/healthz': 'health',
  '/readyz': 'health',
  '/metrics': 'metrics',
};

/** All paths below one of these prefixes count as one endpoint. */
const folders: readonly (readonly [prefix: string, name: string])[] = [
  ['/v1/responses/', 'responses_other'],
  ['/v1/models/', 'models'],
  ['/admin/', 'admin'],
  ['/account/', 'account'],
  ['/auth/', 'sign_in'],
];

/** The names of endpoints in metrics. Their number is fixed, regardless of the paths that clients send. */
export class SurfaceNames {
  readonly #names = new Map<string, string>(Object.entries(exactPaths));
  readonly #messagesPrefix: string;

  constructor(messagesPrefix: string) {
    this.#messagesPrefix = `${messagesPrefix}/`;
    this.#names.set(`${messagesPrefix}/v1/messages`, 'messages');
  }

  of(path: string): string {
    return this.#names.get(path) ?? this.#folderOf(path);
  }

  #folderOf(path: string): string {
    if (path.startsWith(this.#messagesPrefix)) return 'messages_other';
    return folders.find(([prefix]) => path.startsWith(prefix))?.[1] ?? 'other';
  }
}

export function operationAt(surface: string): string {
  return operations[surface] ?? 'chat';
}
