import type { SnippetValues } from './snippet-values.ts';

/** A first request with the `openai` package for Python. */
export function openaiPython({ baseUrls, model, key }: SnippetValues): string {
  return `import os
from openai import OpenAI

client = OpenAI(base_url=${JSON.stringify(baseUrls.openai)}, api_key=${keyOf(key)})
stream = client.chat.completions.create(
    model=${JSON.stringify(model)},
    messages=[{"role": "user", "content": "Hello"}],
    stream=True,
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)`;
}

/** The same over the Responses API. */
export function responsesPython({ baseUrls, model, key }: SnippetValues): string {
  return `import os
from openai import OpenAI

client = OpenAI(base_url=${JSON.stringify(baseUrls.openai)}, api_key=${keyOf(key)})
with client.responses.stream(model=${JSON.stringify(model)}, input="Hello") as stream:
    for event in stream:
        if event.type == "response.output_text.delta":
            print(event.delta, end="", flush=True)`;
}

/** A first request with the `anthropic` package for Python. */
export function anthropicPython({ baseUrls, model, key }: SnippetValues): string {
  return `import os
from anthropic import Anthropic

client = Anthropic(base_url=${JSON.stringify(baseUrls.anthropic)}, api_key=${keyOf(key)})
with client.messages.stream(
    model=${JSON.stringify(model)},
    max_tokens=1024,
    messages=[{"role": "user", "content": "Hello"}],
) as stream:
    for text in stream.text_stream:
        print(text, end="", flush=True)`;
}

function keyOf(key: string | undefined): string {
  return key === undefined ? 'os.environ["GATEWAY_KEY"]' : JSON.stringify(key);
}
