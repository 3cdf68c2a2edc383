import { listOf } from '../../dialects/wire-value.ts';
import { countMembers, mediaType, readJsonAnswer, underName, useless } from './answer.ts';
import { inForm } from './embeddings.ts';
import { embeddingsSchema, imagesSchema, moderationsSchema, rerankSchema, speechSchema } from './request-schemas.ts';
import { jsonRow, type PlainRow } from './row.ts';
import { transcriptions } from './transcriptions.ts';
import { searchUnits, toldTokens } from './usage.ts';

/** An image takes a place for about as long as so many tokens of prompt. */
const imageEffort = 4000;
/** Rerankers count a search anew for every so many documents. */
const documentsPerSearch = 100;

/** Every endpoint that passes bodies on as they are: its path, its unit and how the usage is read. */
export const plainRows: readonly PlainRow[] = [
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
  }),
  jsonRow({
    endpoint: 'speech',
    path: '/audio/speech',
    schema: speechSchema,
    measure: ({ input }) => {
      const units = { request: 1, character: charactersIn(input) };
      return { most: units, given: units };
    },
    used: (answer, { input }) => {
      const isSound = /^(?:audio\/|video\/|application\/(?:octet-stream|ogg)|text\/event-stream)/i.test(
        answer.contentType,
      );
      if (!isSound) throw useless(`it answered with ${mediaType(answer.contentType)} instead of sound`);
      if (answer.body.length === 0) throw useless('its answer is empty');
      return { promptTokens: 0, units: { request: 1, character: charactersIn(input) } };
    },
    shown: (answer) => answer,
  }),
  transcriptions,
];

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
