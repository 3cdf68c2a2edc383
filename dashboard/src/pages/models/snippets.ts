import type { Snippet } from '../../components/code-block.tsx';
import { keyExpression, quoted } from './quoting.ts';
import { endpointSnippets } from './endpoint-snippets.ts';
import { anthropicPython, openaiPython } from './python-snippets.ts';
import { responsesSnippets } from './responses-snippets.ts';
import { snippetNames } from './snippet-names.ts';
import type { SnippetValues } from './snippet-values.ts';

/** Code samples for one model, for the surfaces that it has. */
export function snippetsOf(values: SnippetValues): readonly Snippet[] {
  if (values.surfaces.length === 0) return endpointSnippets(values);
  const chat = values.surfaces.includes('openai');
  const messages = values.surfaces.includes('anthropic');
  const responses = values.surfaces.includes('openai-response');
  return [
    ...(chat ? [{ name: 'curl', code: curlLine(values) }] : []),
    ...(messages ? [{ name: chat ? 'curl (messages)' : 'curl', code: messagesCurl(values) }] : []),
    ...(chat
      ? [
          { name: snippetNames.openaiPython, code: openaiPython(values) },
          { name: snippetNames.openai, code: openaiCode(values) },
        ]
      : []),
    ...(messages
      ? [
          { name: snippetNames.anthropicPython, code: anthropicPython(values) },
          { name: snippetNames.anthropic, code: anthropicCode(values) },
        ]
      : []),
    { name: snippetNames.ai, code: chat ? aiChatCode(values) : aiMessagesCode(values) },
    ...(responses ? responsesSnippets(values) : []),
    ...(messages ? [{ name: 'Claude Code', code: claudeCode(values) }] : []),
    { name: 'opencode', code: opencode(values, chat) },
  ];
}

export function curlLine({ baseUrls, model, key = '$GATEWAY_KEY' }: Omit<SnippetValues, 'surfaces'>): string {
  return `curl ${baseUrls.openai}/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '${inSingleQuotes({ model, messages: [hello], stream: true })}'`;
}

const hello = { role: 'user', content: 'Hello' };

function messagesCurl({ baseUrls, model, key = '$GATEWAY_KEY' }: SnippetValues): string {
  return `curl ${baseUrls.anthropic}/v1/messages \\
  -H "x-api-key: ${key}" \\
  -H "anthropic-version: 2023-06-01" \\
  -H "Content-Type: application/json" \\
  -d '${inSingleQuotes({ model, max_tokens: 1024, messages: [hello] })}'`;
}

function openaiCode({ baseUrls, model, key }: SnippetValues): string {
  return `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: ${quoted(baseUrls.openai)},
  apiKey: ${keyExpression(key)},
});
const stream = await client.chat.completions.create({
  model: ${quoted(model)},
  messages: [{ role: 'user', content: 'Hello' }],
  stream: true,
});
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta?.content ?? '');`;
}

function anthropicCode({ baseUrls, model, key }: SnippetValues): string {
  return `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({
  baseURL: ${quoted(baseUrls.anthropic)},
  apiKey: ${keyExpression(key)},
});
const stream = client.messages.stream({
  model: ${quoted(model)},
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'Hello' }],
});
stream.on('text', (text) => process.stdout.write(text));
await stream.finalMessage();`;
}

function aiChatCode({ baseUrls, model, key }: SnippetValues): string {
  return `import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText } from 'ai';

const gateway = createOpenAICompatible({
  name: 'gateway',
  baseURL: ${quoted(baseUrls.openai)},
  apiKey: ${keyExpression(key)},
});
const { textStream } = streamText({ model: gateway(${quoted(model)}), prompt: 'Hello' });
for await (const text of textStream) process.stdout.write(text);`;
}

function aiMessagesCode({ baseUrls, model, key }: SnippetValues): string {
  return `import { createAnthropic } from '@ai-sdk/anthropic';
import { streamText } from 'ai';

const gateway = createAnthropic({
  baseURL: ${quoted(`${baseUrls.anthropic}/v1`)},
  apiKey: ${keyExpression(key)},
});
const { textStream } = streamText({ model: gateway(${quoted(model)}), prompt: 'Hello' });
for await (const text of textStream) process.stdout.write(text);`;
}

function claudeCode({ baseUrls, model, key = '$GATEWAY_KEY' }: SnippetValues): string {
  return `export ANTHROPIC_BASE_URL="${baseUrls.anthropic}"
export ANTHROPIC_API_KEY="${key}"
export ANTHROPIC_SMALL_FAST_MODEL="${model}"
claude --model "${model}"`;
}

/** For `opencode.json`, which reads environment variables itself. */
function opencode({ baseUrls, model, key = '{env:GATEWAY_KEY}' }: SnippetValues, isChat: boolean): string {
  const npm = isChat ? '@ai-sdk/openai-compatible' : '@ai-sdk/anthropic';
  const baseURL = isChat ? baseUrls.openai : `${baseUrls.anthropic}/v1`;
  const gateway = { npm, options: { baseURL, apiKey: key }, models: { [model]: { name: model } } };
  return JSON.stringify(
    { $schema: 'https://opencode.ai/config.json', provider: { gateway }, model: `gateway/${model}` },
    null,
    2,
  );
}

/** JSON for a single-quoted shell string, in which only the quote itself needs escaping. */
function inSingleQuotes(value: unknown): string {
  return JSON.stringify(value).replaceAll("'", `'\\''`);
}
