import { codeBlock } from './code-block.ts';
import { html, type Markup } from './html.ts';
import { responsesQuickStart } from './responses-quick-start.ts';

/** First requests with several clients, with the address under which the reader opened the page. */
export function quickStartSection(baseUrl: string): Markup {
  return html`<section id="quick-start" aria-labelledby="quick-start-title">
<h2 id="quick-start-title">Quick start</h2>
<p>Put your key into <code>GATEWAY_KEY</code> and take a model id from the list. <code>MODEL_ID</code> below stands for that id.</p>
${codeBlock('List the models of your key', listModels(baseUrl))}${codeBlock('Send a request to one of them', askModel(baseUrl))}${codeBlock('With the openai package', openaiProgram(baseUrl))}${codeBlock('With the AI SDK', aiSdkProgram(baseUrl))}${responsesQuickStart(baseUrl)}</section>
`;
}

function listModels(baseUrl: string): string {
  return `curl ${baseUrl}/v1/models \\
  -H "Authorization: Bearer $GATEWAY_KEY"`;
}

function askModel(baseUrl: string): string {
  return `curl -N ${baseUrl}/v1/chat/completions \\
  -H "Authorization: Bearer $GATEWAY_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{
    "model": "MODEL_ID",
    "messages": [{"role": "user", "content": "Hello!"}],
    "stream": true
  }'`;
}

function openaiProgram(baseUrl: string): string {
  return `import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: '${baseUrl}/v1',
  apiKey: process.env.GATEWAY_KEY,
});

const stream = await client.chat.completions.create({
  model: 'MODEL_ID',
  messages: [{ role: 'user', content: 'Hello!' }],
  stream: true,
});
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta.content ?? '');
}`;
}

function aiSdkProgram(baseUrl: string): string {
  return `import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText } from 'ai';

const gateway = createOpenAICompatible({
  name: 'gateway',
  baseURL: '${baseUrl}/v1',
  apiKey: process.env.GATEWAY_KEY,
});

const answer = streamText({
  model: gateway('MODEL_ID'),
  prompt: 'Hello!',
});
for await (const text of answer.textStream) {
  process.stdout.write(text);
}`;
}
