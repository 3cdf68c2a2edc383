import type { PassThroughAnswer, PassThroughUsage } from '../../../core/pass-through-call.ts';
import { levelNames } from 'chat-formats/price.ts';
import { invalidRequest } from 'chat-formats/invalid-request.ts';
import { mediaType, readJsonAnswer, unusableAnswer } from './answer.ts';
import { type FormPart, formParts } from './multipart.ts';
import { type EndpointDefinition, eventStream, frameTokensMax, streamReader } from './endpoint-definition.ts';
import { figureIn, reportedTokens } from './usage.ts';

const modelBytesMax = 256;
/** Bytes of audio that occupy a slot about as long as one prompt token. */
const bytesPerLoadToken = 4000;

/** `POST /v1/audio/transcriptions`: a form with a recording. Only the part with the model is rewritten. */
export const transcriptions: EndpointDefinition = {
  endpoint: 'transcriptions',
  path: '/audio/transcriptions',
  form: 'form-data',
  decode(body, boundary) {
    const parts = formParts(body, boundary);
    const model = partNamed(parts, 'model', false);
    const sound = partNamed(parts, 'file', true);
    if (model.end - model.start > modelBytesMax) {
      throw invalidRequest([{ path: ['model'], rule: 'is longer than any model name' }]);
    }
    if (parts.some(({ name }) => name === levelNames.serviceTier)) {
      throw invalidRequest([{ path: [levelNames.serviceTier], rule: 'has no price here: leave it out' }]);
    }
    const file = body.subarray(sound.start, sound.end);
    return {
      endpoint: 'transcriptions',
      path: '/audio/transcriptions',
      model: body.toString('utf8', model.start, model.end),
      userId: undefined,
      contentType: `multipart/form-data; boundary="${boundary}"`,
      bytes: body.length,
      notes: [],
      maxUsage: { promptTokens: body.length + frameTokensMax, units: { request: 1, second: secondsMax(file.length) } },
      outputCapCount: 1,
      upfrontUnits: { request: 1, second: secondsAtLeast(file) },
      countedTexts: [],
      loadTokens: file.length / bytesPerLoadToken,
      encode: (name) => Buffer.concat([body.subarray(0, model.start), Buffer.from(name), body.subarray(model.end)]),
      streams: (contentType) => eventStream.test(contentType),
      reader: () =>
        streamReader(({ promptTokens = 0, completionTokens, seconds }) => {
          const second = seconds ?? secondsAtLeast(file);
          return { promptTokens, completionTokens, units: { request: 1, second } };
        }),
      readUsage: (answer) => usageOf(answer, file),
      rewriteAnswer: (answer) => answer,
    };
  },
};

/** The only part with this name. Two are rejected, because a provider might read the other one. */
function partNamed(parts: readonly FormPart[], name: string, isFile: boolean): FormPart {
  const found = parts.filter((part) => part.name === name);
  const [part] = found;
  if (!part) throw invalidRequest([{ path: [name], rule: 'is required as a part of the form' }]);
  if (found.length > 1) throw invalidRequest([{ path: [name], rule: 'must appear in the form once' }]);
  if (part.isFile !== isFile)
    throw invalidRequest([{ path: [name], rule: isFile ? 'must be a file' : 'must be text' }]);
  return part;
}

function usageOf(answer: PassThroughAnswer, file: Buffer): PassThroughUsage {
  const kind = mediaType(answer.contentType);
  if (kind === 'application/json') {
    const { value, usage } = readJsonAnswer(answer);
    if (value && typeof value['text'] !== 'string') throw unusableAnswer('the answer has no `text`');
    const second = figureIn(usage, 'seconds') ?? figureIn(value, 'duration');
    const { promptTokens = 0, completionTokens } = reportedTokens(usage);
    return { promptTokens, completionTokens, units: { request: 1, second: second ?? secondsAtLeast(file) } };
  }
  if (!/^(?:text\/(?:plain|vtt|srt)|application\/x-subrip)$/.test(kind)) {
    throw unusableAnswer(`the provider answered with ${kind} instead of text`);
  }
  const second = lastTimestamp(answer.body.toString('utf8'));
  return { promptTokens: 0, units: { request: 1, second: Math.max(second ?? 0, secondsAtLeast(file)) } };
}

/** No recording of speech has fewer bytes per second. */
const bytesPerSecondMin = 500;
/** No recording of speech has more. */
const bytesPerSecondMax = 200_000;

function secondsMax(bytes: number): number {
  return Math.ceil(bytes / bytesPerSecondMin);
}

/** The minimum length of a recording, if the provider does not report it. Exact for WAV files. */
function secondsAtLeast(file: Buffer): number {
  const isWave = file.toString('latin1', 0, 4) === 'RIFF' && file.toString('latin1', 8, 16) === 'WAVEfmt ';
  const bytesPerSecond = isWave && file.length >= waveHeadBytes ? file.readUInt32LE(byteRateAt) : 0;
  const seconds = (file.length - waveHeadBytes) / (bytesPerSecond || bytesPerSecondMax);
  return Math.max(0, Math.min(Math.floor(seconds), secondsMax(file.length)));
}

const waveHeadBytes = 44;
const byteRateAt = 28;

function lastTimestamp(subtitles: string): number | undefined {
  const [, hours = '0', minutes = '0', seconds = '0'] =
    [...subtitles.matchAll(/-->\s*(?:(\d+):)?(\d{1,2}):(\d{1,2})[.,]\d+/g)].at(-1) ?? [];
  const last = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return last > 0 ? last : undefined;
}
