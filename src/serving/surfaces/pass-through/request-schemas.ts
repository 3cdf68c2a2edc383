import { z } from 'zod';
import { integerBetween, must, listSchema } from 'chat-formats/field-rules.ts';

const inputsMax = 2048;
const documentsMax = 10_000;
const imagesMax = 128;

const text = z.string(must('be a string'));
const model = text.min(1, 'must not be empty').describe('A model of the catalog with this endpoint.');
const user = text.nullish().describe('Your identifier of the end user.');

function jsonBody<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.looseObject(shape, must('be a JSON object'));
}

const inputRule = must(`be a string that is not empty, a list of 1 to ${inputsMax} of them, or token ids`);
const forms = { isOneForm: true };
const several = { ...forms, lengthMax: inputsMax };
const tokenIds = listSchema(z.int().min(0), inputRule, forms).min(1);
const inputText = z.string().min(1);

/** The body of `POST /v1/embeddings`. Unlisted fields are kept, here and below. */
export const embeddingsSchema = jsonBody({
  model,
  input: z
    .union(
      [
        inputText,
        listSchema(inputText, inputRule, several).min(1),
        tokenIds,
        listSchema(tokenIds, inputRule, several).min(1),
      ],
      inputRule,
    )
    .describe(`One text or up to ${inputsMax}, as text or as token ids.`),
  encoding_format: z
    .enum(['float', 'base64'], must('be float or base64'))
    .nullish()
    .describe('Default `float`. Vectors that the provider sends in the other encoding are converted.'),
  dimensions: integerBetween(1, 65_536).nullish().describe('Length of the vectors, for models that support a choice.'),
  user,
});

export const rerankSchema = jsonBody({
  model,
  query: z
    .unknown()
    .refine((value) => value !== undefined && value !== null, 'is required')
    .describe('The query to rank by.'),
  documents: listSchema(z.unknown(), must('be a list'), { lengthMax: documentsMax })
    .min(1, 'must hold at least one element')
    .describe('The documents to rank: texts, or objects if the provider supports them.'),
  top_n: integerBetween(1, documentsMax).nullish().describe('How many of the best documents to return. Default: all.'),
  return_documents: z.boolean(must('be a boolean')).nullish().describe('Whether the answer contains the documents.'),
});

const judged = must(`be a string or a list of 1 to ${inputsMax} elements`);

export const moderationsSchema = jsonBody({
  model,
  input: z
    .union([z.string(), listSchema(z.unknown(), judged, several).min(1)], judged)
    .describe('One text, several, or parts with texts and images.'),
});

export const imagesSchema = jsonBody({
  model,
  prompt: text.min(1, 'must not be empty').describe('A description of the images.'),
  n: integerBetween(1, imagesMax).nullish().describe('Number of images. Default 1.'),
  stream: z
    .boolean(must('be a boolean'))
    .nullish()
    .describe('Whether to stream images as events while they are generated.'),
  user,
});

export const speechSchema = jsonBody({
  model,
  input: text.min(1, 'must not be empty').describe('The text to speak.'),
  voice: z.unknown().optional().describe('The provider’s name of the voice.'),
  response_format: text.nullish().describe('For example `mp3` or `wav`; the provider defines the formats.'),
  stream_format: text.nullish().describe('`audio` streams bytes, `sse` streams events.'),
});

/** The fields of the form of `POST /v1/audio/transcriptions` that matter here. */
export const transcriptionsSchema = jsonBody({
  file: z.string().describe('The recording, as a file part of the form.'),
  model,
  response_format: text
    .nullish()
    .describe('`json`, `text`, `srt`, `verbose_json` or `vtt`, if the provider supports it.'),
  stream: text.nullish().describe('`true` to stream events, if the provider supports it.'),
});
