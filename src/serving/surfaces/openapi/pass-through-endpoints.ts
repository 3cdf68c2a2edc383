import { z } from 'zod';
import {
  embeddingsSchema,
  imagesSchema,
  moderationsSchema,
  rerankSchema,
  speechSchema,
  transcriptionsSchema,
} from '../pass-through/request-schemas.ts';
import { body, inferenceSteps, jsonAnswer, otherAnswer, post, type PublicEndpoint } from './endpoint.ts';

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

const shared = { steps: inferenceSteps, isUnjoined: true } as const;

export const passThroughDocuments: readonly PublicEndpoint[] = [
  post('/v1/embeddings', 'createEmbeddings', 'Turn texts into vectors.', {
    ...shared,
    description: `${handedOn} Vectors have the encoding of \`encoding_format\`, regardless of what the provider sends.`,
    request: body(
      'EmbeddingsRequest',
      embeddingsSchema,
      { model: 'acme-embed', input: ['first text', 'second text'] },
      { encoding_format: 'float' },
    ),
    answer: jsonAnswer('A vector for each input.', 'EmbeddingList', embeddingList, {
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.25, -0.5, 0.125] }],
      model: 'acme-embed',
      usage: { prompt_tokens: 4, total_tokens: 4 },
    }),
  }),
  post('/v1/rerank', 'rerank', 'Rank documents by their relevance to a query.', {
    ...shared,
    description: handedOn,
    request: body('RerankRequest', rerankSchema, {
      model: 'acme-rerank',
      query: 'fair queue',
      documents: ['about queues', 'about cooking'],
      top_n: 1,
    }),
    answer: jsonAnswer('The documents by their index in the request, the best first.', 'Ranking', ranking, {
      model: 'acme-rerank',
      results: [{ index: 0, relevance_score: 0.92 }],
    }),
  }),
  post('/v1/moderations', 'createModeration', 'Classify texts with a moderation model.', {
    ...shared,
    description: handedOn,
    request: body('ModerationRequest', moderationsSchema, { model: 'acme-moderation', input: 'Is this all right?' }),
    answer: jsonAnswer('A result for each input.', 'Judgement', judgement, {
      id: 'modr-1',
      model: 'acme-moderation',
      results: [{ flagged: false, categories: {} }],
    }),
  }),
  post('/v1/images/generations', 'createImage', 'Generate images.', {
    ...shared,
    description: `${handedOn} Each generated image is charged.`,
    request: body('ImagesRequest', imagesSchema, { model: 'acme-paint', prompt: 'a gate by the sea', n: 1 }, { n: 1 }),
    answer: jsonAnswer('The images, as URLs or as base64.', 'Images', images, {
      created: 1790000000,
      data: [{ url: 'https://images.example/gate.png' }],
    }),
  }),
  post('/v1/audio/speech', 'createSpeech', 'Convert text to speech.', {
    ...shared,
    description: handedOn,
    request: body('SpeechRequest', speechSchema, { model: 'acme-voice', input: 'Good morning', voice: 'calm' }),
    answer: otherAnswer('The audio, in the provider’s format.', 'audio/*'),
  }),
  post('/v1/audio/transcriptions', 'createTranscription', 'Transcribe a recording.', {
    ...shared,
    description: `${handedOn} The request is a form with the recording as its \`file\`.`,
    request: {
      ...body(
        'TranscriptionRequest',
        transcriptionsSchema,
        { file: '@meeting.mp3', model: 'acme-listen' },
        { response_format: 'json' },
      ),
      contentType: 'multipart/form-data',
    },
    answer: jsonAnswer('The text. In other formats than `json`, as the provider writes it.', 'Transcript', transcript, {
      text: 'Good morning.',
      usage: { type: 'duration', seconds: 2 },
    }),
  }),
];
