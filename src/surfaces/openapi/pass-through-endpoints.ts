import { z } from 'zod';
import {
  embeddingsSchema,
  imagesSchema,
  moderationsSchema,
  rerankSchema,
  speechSchema,
  transcriptionsSchema,
} from '../pass-through/request-schemas.ts';
import type { PublicEndpoint } from './endpoint.ts';

const handedOn =
  'The body is forwarded to the provider unchanged, except for the model name, and the answer is returned unchanged and complete.';

const usage = z.looseObject({ prompt_tokens: z.int().optional(), total_tokens: z.int().optional() });

const embeddingList = z.looseObject({
  object: z.literal('list'),
  data: z.array(
    z.looseObject({
      object: z.literal('embedding').optional(),
      index: z.int().min(0),
      embedding: z.union([z.array(z.number()), z.string()]).describe('Numbers, or base64 of 32-bit floats.'),
    }),
  ),
  model: z.string().describe('The catalog id of the model.'),
  usage: usage.optional(),
});

const ranking = z.looseObject({
  results: z.array(z.looseObject({ index: z.int().min(0), relevance_score: z.number() })).describe('The best first.'),
});

const judgement = z.looseObject({ results: z.array(z.looseObject({ flagged: z.boolean() })) });

const images = z.looseObject({
  data: z.array(z.looseObject({ url: z.string().optional(), b64_json: z.string().optional() })),
});

const transcript = z.looseObject({ text: z.string() });

const shared = { method: 'post', steps: ['key', 'body', 'model', 'inference'], isUnjoined: true } as const;

/** The pass-through endpoints. */
export const passThroughDocuments: readonly PublicEndpoint[] = [
  {
    ...shared,
    path: '/v1/embeddings',
    operationId: 'createEmbeddings',
    summary: 'Turn texts into vectors.',
    description: `${handedOn} Vectors have the encoding of \`encoding_format\`, regardless of what the provider sends.`,
    request: {
      name: 'EmbeddingsRequest',
      schema: embeddingsSchema,
      defaults: { encoding_format: 'float' },
      example: { model: 'acme-embed', input: ['first text', 'second text'] },
    },
    answer: {
      kind: 'json',
      description: 'A vector for each input.',
      name: 'EmbeddingList',
      schema: embeddingList,
      example: {
        object: 'list',
        data: [{ object: 'embedding', index: 0, embedding: [0.25, -0.5, 0.125] }],
        model: 'acme-embed',
        usage: { prompt_tokens: 4, total_tokens: 4 },
      },
    },
  },
  {
    ...shared,
    path: '/v1/rerank',
    operationId: 'rerank',
    summary: 'Rank documents by their relevance to a query.',
    description: handedOn,
    request: {
      name: 'RerankRequest',
      schema: rerankSchema,
      defaults: {},
      example: { model: 'acme-rerank', query: 'fair queue', documents: ['about queues', 'about cooking'], top_n: 1 },
    },
    answer: {
      kind: 'json',
      description: 'The documents by their index in the request, the best first.',
      name: 'Ranking',
      schema: ranking,
      example: { model: 'acme-rerank', results: [{ index: 0, relevance_score: 0.92 }] },
    },
  },
  {
    ...shared,
    path: '/v1/moderations',
    operationId: 'createModeration',
    summary: 'Classify texts with a moderation model.',
    description: handedOn,
    request: {
      name: 'ModerationRequest',
      schema: moderationsSchema,
      defaults: {},
      example: { model: 'acme-moderation', input: 'Is this all right?' },
    },
    answer: {
      kind: 'json',
      description: 'A result for each input.',
      name: 'Judgement',
      schema: judgement,
      example: { id: 'modr-1', model: 'acme-moderation', results: [{ flagged: false, categories: {} }] },
    },
  },
  {
    ...shared,
    path: '/v1/images/generations',
    operationId: 'createImage',
    summary: 'Generate images.',
    description: `${handedOn} Each generated image is charged.`,
    request: {
      name: 'ImagesRequest',
      schema: imagesSchema,
      defaults: { n: 1 },
      example: { model: 'acme-paint', prompt: 'a gate by the sea', n: 1 },
    },
    answer: {
      kind: 'json',
      description: 'The images, as URLs or as base64.',
      name: 'Images',
      schema: images,
      example: { created: 1790000000, data: [{ url: 'https://images.example/gate.png' }] },
    },
  },
  {
    ...shared,
    path: '/v1/audio/speech',
    operationId: 'createSpeech',
    summary: 'Convert text to speech.',
    description: handedOn,
    request: {
      name: 'SpeechRequest',
      schema: speechSchema,
      defaults: {},
      example: { model: 'acme-voice', input: 'Good morning', voice: 'calm' },
    },
    answer: {
      kind: 'other',
      description: 'The audio, in the provider’s format.',
      contentType: 'audio/*',
      type: 'string',
    },
  },
  {
    ...shared,
    path: '/v1/audio/transcriptions',
    operationId: 'createTranscription',
    summary: 'Transcribe a recording.',
    description: `${handedOn} The request is a form with the recording as its \`file\`.`,
    request: {
      name: 'TranscriptionRequest',
      schema: transcriptionsSchema,
      defaults: { response_format: 'json' },
      example: { file: '@meeting.mp3', model: 'acme-listen' },
      contentType: 'multipart/form-data',
    },
    answer: {
      kind: 'json',
      description: 'The text. In other formats than `json`, as the provider writes it.',
      name: 'Transcript',
      schema: transcript,
      example: { text: 'Good morning.', usage: { type: 'duration', seconds: 2 } },
    },
  },
];
