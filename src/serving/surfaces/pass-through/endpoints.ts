import { listOf } from 'chat-formats/wire-value.ts';
import { countMembers, mediaType, type ReadAnswer, readJsonAnswer, unusableAnswer, withModel } from './answer.ts';
import type { PassThroughAnswer } from '../../../core/pass-through-call.ts';
import { inEncoding, splitEmbeddings } from './embeddings.ts';
import { embeddingsSchema, imagesSchema, moderationsSchema, rerankSchema, speechSchema } from './request-schemas.ts';
import { eventStream, jsonEndpoint, type EndpointDefinition } from './endpoint-definition.ts';
import { reportedTokens, searchUnits, type StreamedUsage } from './usage.ts';
import { transcriptions } from './transcriptions.ts';

/** An image occupies a slot about as long as a prompt with this many tokens. */
const imageLoadTokens = 4000;
/** Rerankers count one search per this many documents. */
const documentsPerSearch = 100;

/** Every pass-through endpoint: its path, its units and how its usage is read. */
export const endpointDefinitions: readonly EndpointDefinition[] = [
  jsonEndpoint({
    endpoint: 'embeddings',
    path: '/embeddings',
    schema: embeddingsSchema,
    measure: ({ input }) => ({ maxUnits: { request: 1 }, upfrontUnits: { request: 1 }, countedTexts: textsIn(input) }),
    readUsage: (answer) => {
      const { usage } = readList(answer, 'data');
      return { ...reportedTokens(usage), completionTokens: 0, units: { request: 1 } };
    },
    split: (text, { input }, inputsMax) => splitEmbeddings(text, input, inputsMax),
    rewriteAnswer: (answer, model, { encoding_format: form }) => withModel(inEncoding(answer, form ?? 'float'), model),
  }),
  jsonEndpoint({
    endpoint: 'rerank',
    path: '/rerank',
    schema: rerankSchema,
    measure: ({ documents }) => {
      const request = Math.ceil(documents.length / documentsPerSearch);
      return { maxUnits: { request }, upfrontUnits: { request: 1 } };
    },
    readUsage: (answer) => {
      const { value, usage } = readList(answer, 'results', 'data');
      return { ...tokensOrZero(reportedTokens(usage)), units: { request: searchUnits(value) ?? 1 } };
    },
  }),
  jsonEndpoint({
    endpoint: 'moderations',
    path: '/moderations',
    schema: moderationsSchema,
    measure: () => ({ maxUnits: { request: 1 }, upfrontUnits: { request: 1 } }),
    readUsage: (answer) => {
      const { usage } = readList(answer, 'results');
      return { ...tokensOrZero(reportedTokens(usage)), units: { request: 1 } };
    },
  }),
  jsonEndpoint({
    endpoint: 'images',
    path: '/images/generations',
    schema: imagesSchema,
    measure: ({ n }) => {
      const image = n ?? 1;
      return {
        maxUnits: { request: 1, image },
        upfrontUnits: { request: 1 },
        outputCapCount: image,
        loadTokens: image * imageLoadTokens,
      };
    },
    readUsage: (answer, { n }) => {
      const { value, usage } = readList(answer, 'data');
      const made = value ? listOf(value['data']).length : countMembers(answer.body, ['b64_json', 'url']);
      return { ...tokensOrZero(reportedTokens(usage)), units: { request: 1, image: Math.min(made, n ?? 1) } };
    },
    stream: {
      contentTypes: ({ stream }) => (stream === true ? eventStream : undefined),
      readUsage: (streamed, { n }) => ({
        ...tokensOrZero(streamed),
        units: { request: 1, image: Math.min(streamed.images, n ?? 1) },
      }),
    },
  }),
  jsonEndpoint({
    endpoint: 'speech',
    path: '/audio/speech',
    schema: speechSchema,
    speedOf: 'voice',
    measure: ({ input, stream_format: format }) => {
      const units = { request: 1, character: charactersIn(input) };
      // Only an event stream reports the tokens of audio.
      return { maxUnits: units, upfrontUnits: units, outputCapCount: format === 'sse' ? 1 : 0 };
    },
    readUsage: ({ contentType, body }, { input }) => {
      if (!audioType.test(contentType))
        throw unusableAnswer(`the provider answered with ${mediaType(contentType)} instead of audio`);
      if (body.length === 0) throw unusableAnswer('the answer is empty');
      return { promptTokens: 0, units: { request: 1, character: charactersIn(input) } };
    },
    rewriteAnswer: (answer) => answer,
    stream: {
      contentTypes: () => audioType,
      readUsage: (streamed, { input }) => ({
        ...tokensOrZero(streamed),
        units: { request: 1, character: charactersIn(input) },
      }),
    },
  }),
  transcriptions,
];

function readList(answer: PassThroughAnswer, name: string, otherName = name): ReadAnswer {
  const read = readJsonAnswer(answer);
  if (read.value && !Array.isArray(read.value[name] ?? read.value[otherName])) {
    throw unusableAnswer(`the answer has no \`${name}\``);
  }
  return read;
}

/** Content types of audio: bytes, or events with pieces of it. */
const audioType = /^(?:audio\/|video\/|application\/(?:octet-stream|ogg)|text\/event-stream)/i;

/** Missing prompt tokens count as 0: only embeddings are charged by them, all others per unit. */
function tokensOrZero({ promptTokens = 0, completionTokens }: StreamedUsage | ReturnType<typeof reportedTokens>) {
  return { promptTokens, completionTokens };
}

/** The texts to count. Token ids are replaced by the same number of short words. */
function textsIn(input: string | readonly unknown[]): readonly string[] {
  if (typeof input === 'string') return [input];
  return input.map((each) => (Array.isArray(each) ? 'a '.repeat(each.length) : typeof each === 'string' ? each : 'a'));
}

function charactersIn(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
