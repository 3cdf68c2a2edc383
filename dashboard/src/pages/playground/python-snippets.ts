import type { BaseUrls } from '../../api/wire.ts';
import { chatBody } from './chat-body.ts';
import { messagesBody } from './messages-body.ts';
import { pythonArguments, pythonText } from './python-text.ts';
import { responsesBody } from './responses-body.ts';
import type { Settings } from './settings.ts';
import type { PlaygroundMessage } from './turn.ts';

/** The request for the `openai` package for Python, over the chosen surface. */
export function openaiPython(settings: Settings, messages: readonly PlaygroundMessage[], urls: BaseUrls): string {
  const isResponses = settings.surface === 'responses';
  const { thinking, ...known } = isResponses
    ? responsesBody(settings, messages)
    : chatBody({ ...settings, surface: 'chat' }, messages);
  // The package rejects unknown arguments; `extra_body` is sent unchanged.
  const fields = { ...known, ...(thinking !== undefined && { extra_body: { thinking } }) };
  const reading = isResponses
    ? `for event in stream:
    if event.type == "response.output_text.delta":
        print(event.delta, end="", flush=True)`
    : `for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)`;
  return `import os
from openai import OpenAI

client = OpenAI(base_url=${pythonText(urls.openai)}, api_key=os.environ["GATEWAY_KEY"])
stream = client.${isResponses ? 'responses' : 'chat.completions'}.create(
${pythonArguments(fields)})
${reading}
`;
}

/** The request for the `anthropic` package for Python. */
export function anthropicPython(settings: Settings, messages: readonly PlaygroundMessage[], urls: BaseUrls): string {
  const { stream: _, output_config: effort, ...known } = messagesBody(settings, messages);
  const fields = { ...known, ...(effort !== undefined && { extra_body: { output_config: effort } }) };
  return `import os
from anthropic import Anthropic

client = Anthropic(base_url=${pythonText(urls.anthropic)}, api_key=os.environ["GATEWAY_KEY"])
with client.messages.stream(
${pythonArguments(fields)}) as stream:
    for text in stream.text_stream:
        print(text, end="", flush=True)
`;
}
