import { z } from 'zod';
import { integerBetween, must } from '../../dialects/field-rules.ts';
import { listSchema } from '../../dialects/list-schema.ts';

/** What one call may embed or judge at once. */
export const inputsMax = 2048;
/** Documents that one call may have ranked. */
export const documentsMax = 10_000;
/** Images that one call may ask for. */
const imagesMax = 128;

const text = z.string(must('be a string'));
const model = text.min(1, 'must not be empty').describe('A model of the catalog that has this endpoint.');
const user = text.nullish().describe('Your own name for the person behind the request.');
const object = must('be a JSON object');

const inputRule = must(`be a string that is not empty, a list of 1 to ${inputsMax} of them, or token ids`);
const forms = { isOneForm: true };
const several = { ...forms, lengthMax: inputsMax };
const tokenIds = listSchema(z.int().min(0), inputRule, forms).min(1);
const inputText = z.string().min(1);

/** The body of `POST /v1/embeddings`. Fields that are not listed survive here and below. */
export const embeddingsSchema = z.looseObject(
  {
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
      .describe('`float` if left out. What a provider sends in the other form is turned into this one.'),
    dimensions: integerBetween(1, 65_536).nullish().describe('How long the vectors are, for models that can choose.'),
    user,
  },
  object,
);

/** The body of `POST /v1/rerank`. */
export const rerankSchema = z.looseObject(
  {
    model,
    query: z
      .unknown()
      .refine((value) => value !== undefined && value !== null, 'is required')
      .describe('What to look for.'),
    documents: listSchema(z.unknown(), must('be a list'), { lengthMax: documentsMax })
      .min(1, 'must hold at least one element')
      .describe('What to rank: texts, or objects where the provider takes them.'),
    top_n: integerBetween(1, documentsMax).nullish().describe('How many of the best to return; all if left out.'),
    return_documents: z.boolean(must('be a boolean')).nullish().describe('Whether the answer repeats them.'),
  },
  object,
);

const judged = must(`be a string or a list of 1 to ${inputsMax} elements`);

/** The body of `POST /v1/moderations`. */
export const moderationsSchema = z.looseObject(
  {
    model,
    input: z
      .union([z.string(), listSchema(z.unknown(), judged, several).min(1)], judged)
      .describe('One text, several, or parts with texts and images.'),
  },
  object,
);

/** The body of `POST /v1/images/generations`. */
export const imagesSchema = z.looseObject(
  {
    model,
    prompt: text.min(1, 'must not be empty').describe('What the images should show.'),
    n: integerBetween(1, imagesMax).nullish().describe('How many; 1 if left out.'),
    stream: z.boolean(must('be a boolean')).nullish().describe('Whether images come as events while they are made.'),
    user,
  },
  object,
);

/** The body of `POST /v1/audio/speech`. */
export const speechSchema = z.looseObject(
  {
    model,
    input: text.min(1, 'must not be empty').describe('The text to speak.'),
    voice: z.unknown().optional().describe('Whose voice, by the provider’s name for it.'),
    response_format: text.nullish().describe('`mp3`, `wav` and so on, as the provider has them.'),
    stream_format: text.nullish().describe('`audio` for its bytes, `sse` for events; both come while it is spoken.'),
  },
  object,
);

/** The fields of the form of `POST /v1/audio/transcriptions` that matter here. */
export const transcriptionsSchema = z.looseObject(
  {
    file: z.string().describe('The sound, as a file of the form.'),
    model,
    response_format: text
      .nullish()
      .describe('`json`, `text`, `srt`, `verbose_json` or `vtt`, as the provider has them.'),
    stream: text.nullish().describe('`true` for events while it is heard, as the provider has them.'),
  },
  object,
);
