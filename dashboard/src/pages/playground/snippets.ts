import type { BaseUrls } from '../../api/wire.ts';
import type { Snippet } from '../../components/code-block.tsx';
import { aiSnippet } from './ai-snippet.ts';
import { chatBody } from './chat-body.ts';
import { messagesBody } from './messages-body.ts';
import { snippetNames } from '../models/snippet-names.ts';
import { anthropicPython, openaiPython } from './python-snippets.ts';
import { responsesBody } from './responses-body.ts';
import type { Settings } from './settings.ts';
import { sourceText } from './source-text.ts';
import { surfaces } from './surfaces.ts';
import type { PlaygroundMessage } from './turn.ts';

/** The request as code. The key is read from `GATEWAY_KEY` and never written into the code. */
export function snippetsOf(
  settings: Settings,
  messages: readonly PlaygroundMessage[],
  urls: BaseUrls,
): readonly Snippet[] {
  return [
    { name: 'curl', code: curl(settings, messages, urls) },
    { name: snippetNames.openaiPython, code: openaiPython(settings, messages, urls) },
    {
      name: snippetNames.openai,
      code: settings.surface === 'responses' ? responses(settings, messages, urls) : openai(settings, messages, urls),
    },
    { name: snippetNames.anthropicPython, code: anthropicPython(settings, messages, urls) },
    { name: snippetNames.anthropic, code: anthropic(settings, messages, urls) },
    { name: snippetNames.ai, code: aiSnippet(settings, messages, urls) },
  ];
}

function curl(settings: Settings, messages: readonly PlaygroundMessage[], urls: BaseUrls): string {
  const body = surfaces[settings.surface].body(settings, messages);
  const path = settings.surface === 'responses' ? 'responses' : 'chat/completions';
  const lines =
    settings.surface !== 'messages'
      ? [`curl -N ${urls.openai}/${path}`, '-H "Authorization: Bearer $GATEWAY_KEY"']
      : [`curl -N ${urls.anthropic}/v1/messages`, '-H "x-api-key: $GATEWAY_KEY"', "-H 'anthropic-version: 2023-06-01'"];
  // In a single-quoted shell string, only the quote itself needs escaping.
  const data = JSON.stringify(body, null, 2).replaceAll("'", String.raw`'\''`);
  return [...lines, "-H 'Content-Type: application/json'", `-d '${data}'`].join(' \\\n  ');
}

function openai(settings: Settings, messages: readonly PlaygroundMessage[], urls: BaseUrls): string {
  return `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${sourceText(urls.openai)}, apiKey: process.env.GATEWAY_KEY });
const stream = await client.chat.completions.create(${sourceText(chatBody(settings, messages))});
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '');
`;
}

function responses(settings: Settings, messages: readonly PlaygroundMessage[], urls: BaseUrls): string {
  return `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: ${sourceText(urls.openai)}, apiKey: process.env.GATEWAY_KEY });
const stream = await client.responses.create(${sourceText(responsesBody(settings, messages))});
for await (const event of stream) if (event.type === 'response.output_text.delta') process.stdout.write(event.delta);
`;
}

function anthropic(settings: Settings, messages: readonly PlaygroundMessage[], urls: BaseUrls): string {
  const { stream: _, ...body } = messagesBody(settings, messages);
  return `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: ${sourceText(urls.anthropic)}, apiKey: process.env.GATEWAY_KEY });
const stream = client.messages.stream(${sourceText(body)});
stream.on('text', (text) => process.stdout.write(text));
await stream.finalMessage();
`;
}
