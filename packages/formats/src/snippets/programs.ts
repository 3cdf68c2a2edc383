import { type Expression, literal, python, pythonArguments, typescript } from './literal.ts';
import type { SnippetValues } from './snippet-request.ts';

export function openaiTypescript(values: SnippetValues): string {
  const [resource, reading] =
    values.endpoint === 'responses'
      ? ['responses', "if (chunk.type === 'response.output_text.delta') process.stdout.write(chunk.delta)"]
      : ['chat.completions', "process.stdout.write(chunk.choices[0]?.delta?.content ?? '')"];
  return `import OpenAI from 'openai';

const client = new OpenAI(${clientOptions(values)});
const stream = await client.${resource}.create(${objectLines(values.fields)});
for await (const chunk of stream) ${reading};`;
}

export function openaiPython(values: SnippetValues): string {
  const [resource, condition, text] =
    values.endpoint === 'responses'
      ? ['responses', 'chunk.type == "response.output_text.delta"', 'chunk.delta']
      : ['chat.completions', 'chunk.choices', 'chunk.choices[0].delta.content or ""'];
  return `import os
from openai import OpenAI

client = OpenAI(${pythonAccess(values)})
stream = client.${resource}.create(
${pythonFields(values.fields, 'thinking')})
for chunk in stream:
    if ${condition}:
        print(${text}, end="", flush=True)`;
}

/** A request with the `anthropic` package. Its `stream` method sets the field of that name itself. */
export function anthropicTypescript(values: SnippetValues): string {
  return `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic(${clientOptions(values)});
const stream = client.messages.stream(${objectLines({ ...values.fields, stream: undefined })});
stream.on('text', (text) => process.stdout.write(text));
await stream.finalMessage();`;
}

export function anthropicPython(values: SnippetValues): string {
  return `import os
from anthropic import Anthropic

client = Anthropic(${pythonAccess(values)})
with client.messages.stream(
${pythonFields({ ...values.fields, stream: undefined }, 'output_config')}) as stream:
    for text in stream.text_stream:
        print(text, end="", flush=True)`;
}

interface StreamTextTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly parameters: unknown;
}

export function aiSdk(values: SnippetValues): string {
  const { endpoint, baseUrl, model, prompt, body = { prompt } } = values;
  const { tools } = body as { readonly tools?: readonly StreamTextTool[] };
  const [maker, name] = makers[endpoint === 'messages' || endpoint === 'responses' ? endpoint : 'chat'];
  const client = { ...values, baseUrl: endpoint === 'messages' ? `${baseUrl}/v1` : baseUrl };
  return `import { ${maker} } from '${name}';
import { ${tools ? 'jsonSchema, streamText, tool' : 'streamText'} } from 'ai';

const gateway = ${maker}(${clientOptions(client, maker === makers.chat[0] ? 'gateway' : undefined)});
const { textStream } = streamText(${objectLines({
    model: call('gateway', model),
    ...body,
    tools: tools && Object.fromEntries(tools.map(toolField)),
  })});
for await (const text of textStream) process.stdout.write(text);`;
}

const makers = {
  chat: ['createOpenAICompatible', '@ai-sdk/openai-compatible'],
  messages: ['createAnthropic', '@ai-sdk/anthropic'],
  responses: ['createOpenAI', '@ai-sdk/openai'],
} as const;

function toolField({ name, description, parameters }: StreamTextTool): readonly [string, Expression] {
  return [name, call('tool', { description, inputSchema: call('jsonSchema', parameters) })];
}

function call(name: string, argument: unknown): Expression {
  return (write) => `${name}(${write(argument)})`;
}

export function agentsSdk(values: SnippetValues): string {
  return `import { Agent, run, setDefaultOpenAIClient, setTracingDisabled } from '@openai/agents';
import OpenAI from 'openai';

setTracingDisabled(true);
setDefaultOpenAIClient(new OpenAI(${clientOptions(values)}));
const agent = new Agent({ name: 'Helper', model: ${literal(values.model, typescript)} });
console.log((await run(agent, ${literal(values.prompt, typescript)})).finalOutput);`;
}

function clientOptions({ baseUrl, key }: SnippetValues, name?: string): string {
  return objectLines({ name, baseURL: baseUrl, apiKey: key ?? (() => 'process.env.GATEWAY_KEY') });
}

/** An object in TypeScript with one field per line. */
function objectLines(fields: object): string {
  return literal(fields, typescript, '', 0);
}

function pythonAccess({ baseUrl, key }: SnippetValues): string {
  const secret = key === undefined ? 'os.environ["GATEWAY_KEY"]' : literal(key, python);
  return `base_url=${literal(baseUrl, python)}, api_key=${secret}`;
}

/** The packages for Python reject arguments that they do not know, such as `extra`. They send `extra_body` unchanged. */
function pythonFields(fields: Readonly<Record<string, unknown>>, extra: string): string {
  const { [extra]: value, ...known } = fields;
  return pythonArguments({ ...known, extra_body: value === undefined ? undefined : { [extra]: value } });
}
