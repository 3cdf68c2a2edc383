import { json, literal, shellQuoted } from './literal.ts';

const endpoint = '/v1/chat/completions';

/** A program that uploads a file of requests and creates a batch. The key is in `GATEWAY_KEY`. */
export function batchSnippet(tool: 'python' | 'curl', baseUrl: string, model = 'MODEL_ID'): string {
  const body = { model, messages: [{ role: 'user', content: 'Hello!' }] };
  const line = JSON.stringify({ custom_id: 'one', method: 'POST', url: endpoint, body });
  return tool === 'python' ? python(baseUrl, line) : curl(baseUrl, line);
}

function python(baseUrl: string, line: string): string {
  return `import os
from openai import OpenAI

client = OpenAI(base_url=${JSON.stringify(baseUrl)}, api_key=os.environ["GATEWAY_KEY"])

# One request per line, each with its own custom_id:
# ${line}
file = client.files.create(purpose="batch", file=open("lines.jsonl", "rb"))
batch = client.batches.create(
    input_file_id=file.id,
    endpoint="${endpoint}",
    completion_window="24h",
)
print(batch.id)`;
}

function curl(baseUrl: string, line: string): string {
  const creation = { input_file_id: 'file-…', endpoint, completion_window: '24h' };
  return `echo ${shellQuoted(line)} > lines.jsonl
curl ${baseUrl}/files \\
  -H "Authorization: Bearer $GATEWAY_KEY" \\
  -F purpose=batch -F file=@lines.jsonl
curl ${baseUrl}/batches \\
  -H "Authorization: Bearer $GATEWAY_KEY" -H "Content-Type: application/json" \\
  -d ${shellQuoted(literal(creation, json, '  ', 0))}`;
}
