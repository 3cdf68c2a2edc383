import {
  embeddingsSchema,
  imagesSchema,
  moderationsSchema,
  rerankSchema,
  speechSchema,
  transcriptionsSchema,
} from '../pass-through/request-schemas.ts';
import { body, inferenceSteps, otherAnswer, post, type PublicEndpoint } from './endpoint.ts';

const handedOn =
  'The body is forwarded to the provider unchanged, except for the model name, and the answer is returned unchanged and complete.';

const shared = { steps: inferenceSteps, isUnjoined: true, description: handedOn } as const;

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
    answer: otherAnswer('A vector for each input, in OpenAI’s format. `model` is the catalog id.'),
  }),
  post('/v1/rerank', 'rerank', 'Rank documents by their relevance to a query.', {
    ...shared,
    request: body('RerankRequest', rerankSchema, {
      model: 'acme-rerank',
      query: 'fair queue',
      documents: ['about queues', 'about cooking'],
      top_n: 1,
    }),
    answer: otherAnswer(
      '`results` with the `index` of each document in the request and its `relevance_score`, the best first.',
    ),
  }),
  post('/v1/moderations', 'createModeration', 'Classify texts with a moderation model.', {
    ...shared,
    request: body('ModerationRequest', moderationsSchema, { model: 'acme-moderation', input: 'Is this all right?' }),
    answer: otherAnswer('A result for each input, in OpenAI’s format.'),
  }),
  post('/v1/images/generations', 'createImage', 'Generate images.', {
    ...shared,
    description: `${handedOn} Each generated image is charged.`,
    request: body('ImagesRequest', imagesSchema, { model: 'acme-paint', prompt: 'a gate by the sea', n: 1 }, { n: 1 }),
    answer: otherAnswer('The images, as URLs or as base64, in OpenAI’s format.'),
  }),
  post('/v1/audio/speech', 'createSpeech', 'Convert text to speech.', {
    ...shared,
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
    answer: otherAnswer('`text`, in OpenAI’s format. In other formats than `json`, as the provider writes it.'),
  }),
];
