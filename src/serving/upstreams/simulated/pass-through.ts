import { createHash } from 'node:crypto';
import type { PassThroughAnswer, PassThroughRequest } from '../../../core/pass-through-call.ts';
import type { PassThroughEndpoint } from 'chat-formats/chat/pass-through-endpoint.ts';
import { listOf, objectOf, parsedJson, type WireObject } from 'chat-formats/wire-value.ts';
import { countTokens, tokensOf } from './tokens.ts';

const defaultDimensions = 64;
const dimensionsMax = 4096;
const samplesPerSecond = 8000;
const charactersPerSecond = 15;
const secondsMax = 60;

/** Returns a simulated answer to a pass-through request: valid, the same each time, and meaningless. */
export function passThroughAnswer(request: PassThroughRequest, model: string): PassThroughAnswer {
  const sent = request.encode(model);
  const body = typeof sent === 'string' ? (objectOf(parsedJson(sent)) ?? {}) : {};
  return answers[request.endpoint](body, { model, bytes: request.bytes });
}

interface AnswerContext {
  readonly model: string;
  readonly bytes: number;
}

const answers: Readonly<Record<PassThroughEndpoint, (body: WireObject, about: AnswerContext) => PassThroughAnswer>> = {
  embeddings: (body, { model }) => {
    const inputs = inputsOf(body['input']);
    const dimensions = Math.min(Number(body['dimensions'] ?? defaultDimensions), dimensionsMax);
    const data = inputs.map((input, index) => ({
      object: 'embedding',
      index,
      embedding: shaped(input, dimensions, body),
    }));
    const tokens = inputs.reduce((sum, input) => sum + countTokens(input), 0);
    return json({ object: 'list', data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } });
  },
  rerank: (body, { model }) => {
    const query = new Set(tokensOf(textOf(body['query'])).map((word) => word.trim().toLowerCase()));
    const documents = listOf(body['documents']).map(textOf);
    const scored = documents.map((text, index) => {
      const words = tokensOf(text).map((word) => word.trim().toLowerCase());
      const shared = words.filter((word) => query.has(word)).length;
      return { index, relevance_score: words.length === 0 ? 0 : shared / words.length };
    });
    const results = scored.sort((a, b) => b.relevance_score - a.relevance_score);
    return json({
      model,
      results: results.slice(0, Number(body['top_n'] ?? results.length)),
      usage: { total_tokens: 0 },
    });
  },
  moderations: (body, { model }) => {
    const results = inputsOf(body['input']).map(() => ({ flagged: false, categories: {}, category_scores: {} }));
    return json({ id: 'modr-simulated', model, results });
  },
  images: (body) => {
    const data = Array.from({ length: Number(body['n'] ?? 1) }, () => ({ b64_json: dot }));
    return json({ created: 0, data });
  },
  speech: (body) => {
    const seconds = Math.min(Math.ceil(textOf(body['input']).length / charactersPerSecond), secondsMax);
    return { contentType: 'audio/wav', body: hum(seconds) };
  },
  transcriptions: (_body, { bytes }) => {
    const seconds = Math.ceil(bytes / (samplesPerSecond * 2));
    return json({ text: 'A simulated transcript.', usage: { type: 'duration', seconds } });
  },
};

function json(value: unknown): PassThroughAnswer {
  return { contentType: 'application/json', body: Buffer.from(JSON.stringify(value)) };
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return textIn(objectOf(value)) ?? JSON.stringify(value ?? '');
}

function textIn(value: WireObject | undefined): string | undefined {
  return typeof value?.['text'] === 'string' ? value['text'] : undefined;
}

/** A list of numbers is one input: its token ids. */
function inputsOf(input: unknown): readonly string[] {
  if (!Array.isArray(input)) return [textOf(input)];
  return typeof input[0] === 'number' ? [input.join(' ')] : input.map(textOf);
}

function shaped(text: string, dimensions: number, { encoding_format: form }: WireObject): unknown {
  const vector = vectorOf(text, dimensions);
  return form === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector];
}

/** A unit vector. Each word adds its own direction, so texts with the same words are close together. */
function vectorOf(text: string, dimensions: number): Float32Array<ArrayBuffer> {
  const vector = new Float32Array(dimensions);
  for (const word of tokensOf(text)) {
    const digest = createHash('sha256').update(word.trim().toLowerCase()).digest();
    for (let at = 0; at < digest.length; at += 4) {
      const index = digest.readUInt16LE(at) % dimensions;
      vector[index] = (vector[index] ?? 0) + digest.readInt16LE(at + 2) / 32_768;
    }
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==';

function hum(seconds: number): Buffer {
  const samples = seconds * samplesPerSecond;
  const file = Buffer.alloc(44 + samples * 2);
  file.write('RIFF', 0, 'latin1');
  file.writeUInt32LE(36 + samples * 2, 4);
  file.write('WAVEfmt ', 8, 'latin1');
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(samplesPerSecond, 24);
  file.writeUInt32LE(samplesPerSecond * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write('data', 36, 'latin1');
  file.writeUInt32LE(samples * 2, 40);
  for (let at = 0; at < samples; at += 1) file.writeInt16LE(Math.round(800 * Math.sin(at / 6)), 44 + at * 2);
  return file;
}
