import type { BaseUrls } from '../api/wire.ts';
import { pythonArguments, pythonText, sourceFields, sourceText } from './source-text.ts';

/** The tab names of snippets on all pages. The chosen tab is remembered by its name. */
export const snippetNames = {
  openai: 'openai (TypeScript)',
  openaiPython: 'openai (Python)',
  anthropic: 'anthropic (TypeScript)',
  anthropicPython: 'anthropic (Python)',
  ai: 'AI SDK',
} as const;

/** The addresses of the gateway, and the key. Without a key, programs read it from `GATEWAY_KEY`. */
export interface GatewayAccess {
  readonly baseUrls: BaseUrls;
  readonly key?: string | undefined;
}

type OpenaiSurface = 'chat' | 'responses';

/** A request with curl. `lines` are its address and its own headers. */
export function curlProgram(lines: readonly string[], body: unknown, indent?: number): string {
  // In a single-quoted shell string, only the quote itself needs escaping.
  const data = JSON.stringify(body, null, indent).replaceAll("'", String.raw`'\''`);
  return [...lines, '-H "Content-Type: application/json"', `-d '${data}'`].join(' \\\n  ');
}

/** A request with the `openai` package. */
export function openaiProgram({ baseUrls, key }: GatewayAccess, body: object, surface: OpenaiSurface = 'chat'): string {
  const [resource, reading] = {
    chat: ['chat.completions', "process.stdout.write(chunk.choices[0]?.delta?.content ?? '')"],
    responses: ['responses', "if (chunk.type === 'response.output_text.delta') process.stdout.write(chunk.delta)"],
  }[surface] as [string, string];
  return `import OpenAI from 'openai';

const client = new OpenAI(${clientOptions(baseUrls.openai, key)});
const stream = await client.${resource}.create(${sourceFields(body)});
for await (const chunk of stream) ${reading};`;
}

/** A request with the `anthropic` package. */
export function anthropicProgram({ baseUrls, key }: GatewayAccess, body: object): string {
  return `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic(${clientOptions(baseUrls.anthropic, key)});
const stream = client.messages.stream(${sourceFields(body)});
stream.on('text', (text) => process.stdout.write(text));
await stream.finalMessage();`;
}

/** A request with the `openai` package for Python. */
export function openaiPython(
  { baseUrls, key }: GatewayAccess,
  fields: object,
  surface: OpenaiSurface = 'chat',
): string {
  const [resource, reading] = {
    chat: [
      'chat.completions',
      `if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)`,
    ],
    responses: [
      'responses',
      `if chunk.type == "response.output_text.delta":
        print(chunk.delta, end="", flush=True)`,
    ],
  }[surface] as [string, string];
  return `import os
from openai import OpenAI

client = OpenAI(base_url=${pythonText(baseUrls.openai)}, api_key=${pythonKey(key)})
stream = client.${resource}.create(
${pythonArguments(fields)})
for chunk in stream:
    ${reading}`;
}

/** A request with the `anthropic` package for Python. */
export function anthropicPython({ baseUrls, key }: GatewayAccess, fields: object): string {
  return `import os
from anthropic import Anthropic

client = Anthropic(base_url=${pythonText(baseUrls.anthropic)}, api_key=${pythonKey(key)})
with client.messages.stream(
${pythonArguments(fields)}) as stream:
    for text in stream.text_stream:
        print(text, end="", flush=True)`;
}

const makers = {
  chat: ['createOpenAICompatible', '@ai-sdk/openai-compatible'],
  messages: ['createAnthropic', '@ai-sdk/anthropic'],
  responses: ['createOpenAI', '@ai-sdk/openai'],
} as const;

interface AiRequest {
  readonly surface: keyof typeof makers;
  readonly model: string;
  /** The source of the other options of `streamText`, each with its comma. */
  readonly options: string;
  /** The function that it uses of the `ai` package. Default: `streamText`. */
  readonly uses?: string;
}

/** A request with the AI SDK. */
export function aiProgram(access: GatewayAccess, { surface, model, options, uses = 'streamText' }: AiRequest): string {
  const { baseUrls, key } = access;
  const [maker, name] = makers[surface];
  const url = surface === 'messages' ? `${baseUrls.anthropic}/v1` : baseUrls.openai;
  return `import { ${maker} } from '${name}';
import { ${uses} } from 'ai';

const gateway = ${maker}(${clientOptions(url, key, surface === 'chat' ? "\n  name: 'gateway'," : '')});
const { textStream } = streamText({
  model: gateway(${sourceText(model)}),
  ${options}
});
for await (const text of textStream) process.stdout.write(text);`;
}

/** The options of a client in TypeScript. */
export function clientOptions(url: string, key: string | undefined, more = ''): string {
  return `{${more}
  baseURL: ${sourceText(url)},
  apiKey: ${key === undefined ? 'process.env.GATEWAY_KEY' : sourceText(key)},
}`;
}

function pythonKey(key: string | undefined): string {
  return key === undefined ? 'os.environ["GATEWAY_KEY"]' : pythonText(key);
}
