import { listOf } from '../../dialects/wire-value.ts';
import { countMembers, mediaType, readJsonAnswer, underName, useless } from './answer.ts';
import { inForm } from './embeddings.ts';
import { embeddingsSchema, imagesSchema, moderationsSchema, rerankSchema, speechSchema } from './request-schemas.ts';
import { eventStream, jsonRow, type PassThroughRow } from './row.ts';
import { splitEmbeddings } from './split-embeddings.ts';
import type { StreamedUsage } from './streamed-usage.ts';
import { transcriptions } from './transcriptions.ts';
import { searchUnits, toldTokens } from './usage.ts';

/** An image takes a place for about as long as so many tokens of prompt. */
const imageEffort = 4000;
/** Rerankers count a search anew for every so many documents. */
const documentsPerSearch = 100;

/** Every endpoint that passes bodies on as they are: its path, its unit and how the usage is read. */
export const passThroughRows: readonly PassThroughRow[] = [
  jsonRow({
    endpoint: 'embeddings',
    path: '/embeddings',
    schema: embeddingsSchema,
    measure: ({ input }) => ({ most: { request: 1 }, given: { request: 1 }, texts: textsIn(input) }),
    used: (answer) => {
      const { value, usage } = readJsonAnswer(answer);
      if (value && !Array.isArray(value['data'])) throw useless('its answer has no `data`');
      return { ...toldTokens(usage), completionTokens: 0, units: { request: 1 } };
    },
    split: (text, { input }, inputsMax) => splitEmbeddings(text, input, inputsMax),
    shown: (answer, model, { encoding_format: form }) => underName(inForm(answer, form ?? 'float'), model),
  }),
  jsonRow({
    endpoint: 'rerank',
    path: '/rerank',
    schema: rerankSchema,
    measure: ({ documents }) => {
      const request = Math.ceil(documents.length / documentsPerSearch);
      return { most: { request }, given: { request: 1 } };
    },
    used: (answer) => {
      const { value, usage } = readJsonAnswer(answer);
      if (value && !Array.isArray(value['results'] ?? value['data'])) throw useless('its answer has no `results`');
      return { ...orNothing(toldTokens(usage)), units: { request: searchUnits(value) ?? 1 } };
    },
  }),
  jsonRow({
    endpoint: 'moderations',
    path: '/moderations',
    schema: moderationsSchema,
    measure: () => ({ most: { request: 1 }, given: { request: 1 } }),
    used: (answer) => {
      const { value, usage } = readJsonAnswer(answer);
      if (value && !Array.isArray(value['results'])) throw useless('its answer has no `results`');
      return { ...orNothing(toldTokens(usage)), units: { request: 1 } };
    },
  }),
  jsonRow({
    endpoint: 'images',
    path: '/images/generations',
    schema: imagesSchema,
    measure: ({ n }) => {
      const image = n ?? 1;
      return { most: { request: 1, image }, given: { request: 1 }, outputs: image, effort: image * imageEffort };
    },
    used: (answer, { n }) => {
      const { value, usage } = readJsonAnswer(answer);
      if (value && !Array.isArray(value['data'])) throw useless('its answer has no `data`');
      const made = value ? listOf(value['data']).length : countMembers(answer.body, ['b64_json', 'url']);
      return { ...orNothing(toldTokens(usage)), units: { request: 1, image: Math.min(made, n ?? 1) } };
    },
    stream: {
      kinds: ({ stream }) => (stream === true ? eventStream : undefined),
      used: (told, { n }) => ({ ...tokensOf(told), units: { request: 1, image: Math.min(told.images, n ?? 1) } }),
    },
  }),
  jsonRow({
    endpoint: 'speech',
    path: '/audio/speech',
    schema: speechSchema,
    measure: ({ input, stream_format: format }) => {
      const units = { request: 1, character: charactersIn(input) };
      // Only events tell how many tokens a sound is made of.
      return { most: units, given: units, outputs: format === 'sse' ? 1 : 0 };
    },
    used: ({ contentType, body }, { input }) => {
      if (!sound.test(contentType)) throw useless(`it answered with ${mediaType(contentType)} instead of sound`);
      if (body.length === 0) throw useless('its answer is empty');
      return { promptTokens: 0, units: { request: 1, character: charactersIn(input) } };
    },
    shown: (answer) => answer,
    stream: {
      kinds: () => sound,
      used: (told, { input }) => ({ ...tokensOf(told), units: { request: 1, character: charactersIn(input) } }),
    },
  }),
  transcriptions,
];

/** What a sound comes as: its bytes, or events with pieces of it. */
const sound = /^(?:audio\/|video\/|application\/(?:octet-stream|ogg)|text\/event-stream)/i;

function tokensOf({ promptTokens = 0, completionTokens }: StreamedUsage) {
  return { promptTokens, completionTokens };
}

/** Only embeddings are counted here where a provider does not count; the others have units to be charged by. */
function orNothing({ promptTokens = 0, completionTokens }: ReturnType<typeof toldTokens>) {
  return { promptTokens, completionTokens };
}

/** Token ids are counted by their number, and stand for as many short words. */
function textsIn(input: string | readonly unknown[]): readonly string[] {
  if (typeof input === 'string') return [input];
  return input.map((each) => (Array.isArray(each) ? 'a '.repeat(each.length) : typeof each === 'string' ? each : 'a'));
}

function charactersIn(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
