import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { JsonSchema } from '../src/serving/surfaces/openapi/component-schemas.ts';
import { openApiDocument } from '../src/serving/surfaces/openapi/document.ts';
import type { MediaType, Operation } from '../src/serving/surfaces/openapi/operation.ts';

export const apiDocsFile = fileURLToPath(new URL('../docs/api.md', import.meta.url));

const document = openApiDocument({
  version: '',
  messagesPrefix: '/anthropic',
  supportEmail: undefined,
  serverUrl: 'https://gateway.example.com',
});
const { schemas, securitySchemes, headers } = document.components;

/** The text of `docs/api.md`, from the document that is served at `/openapi.json`. Run this file to write the page. */
export function apiDocs(): string {
  return `${introduction}
## Headers

Every response carries these headers, errors included.

| header | meaning | example |
| --- | --- | --- |
${Object.entries(headers)
  .map(([name, { description, example }]) => row(`\`${name}\``, description, `\`${example}\``))
  .join('')}
${endpoints.join('\n')}`;
}

const introduction = `# API

<!-- Written by \`node scripts/api-docs.ts\` from src/serving/surfaces/openapi. Change the descriptions, then run it again. -->

\`\`\`sh run
curl -s $BASE/v1/models -H "Authorization: Bearer $API_KEY"
\`\`\`

[\`admin-api.md\`](admin-api.md) defines the variables of this page.

${document.info.description}

This page describes what the gateway does, and what differs from the public formats. The gateway's \`/openapi.json\` describes the
same for programs, with the fields of all requests, and of answers those that differ from the public format. Programs for each
client are in [Clients](clients/openai-sdk.md), all errors in [Errors](errors.md).

- **\`Authorization\`.** ${securitySchemes.bearer.description}
- **\`x-api-key\`.** ${securitySchemes.apiKey.description} The operator may have chosen another prefix than \`/anthropic\`.
- **Refusals.** Without a valid key the answer is \`401\` \`invalid_api_key\`. A key can be limited to some models. Other models are then missing
  from its list, and a request for one returns \`403\` \`access_denied\`, as for a model that does not exist.

## Good to know

- **Every answer of the chat endpoint is a stream.** This includes \`stream: false\`. A client that expects one JSON body fails: send
  \`stream: true\` and read events.
- **Usage is always sent.** The last chunk before \`[DONE]\` has empty \`choices\` and the usage, whether or not
  \`stream_options.include_usage\` was sent.
- **\`output_tokens\` is 0.** This alias is always 0 in the chat format. Read \`completion_tokens\`. Rely only on the three counts and the
  two \`_details\` objects.
- **There is no 429.** There are no \`Retry-After\` or rate-limit headers either. Under load a request waits in a queue, and the stream
  sends \`: keep-alive\` comments meanwhile. Set timeouts by latency and do not wait for a rejection.
- **A failed answer ends with an error.** If the provider fails after the stream has begun, one \`data:\` line carries the error envelope,
  and the stream ends without a \`finish_reason\`, without usage and without \`[DONE]\`. Treat an answer without \`[DONE]\` as incomplete.
- **Retries can be free.** Send your own \`Idempotency-Key\`. A retry with the same key and body joins the answer that is running or ended
  in the last two minutes, and is charged once. Such an answer continues for 10 seconds after its client has left; any other ends with its
  connection. SDKs that count their retries in \`x-stainless-retry-count\` get the same without a key, while the answer runs or after it has
  completed.
- **Truncation has two signs.** Some models return \`stop\` where others return \`length\`. Compare \`completion_tokens\` with your
  \`max_tokens\` as well.
- **Unlisted fields are forwarded.** A field that the schema does not list is forwarded to the provider unchanged, and the provider may
  reject it with \`400\` \`upstream_error\`. On assistant messages several models reject \`prefix\` and \`reasoning_content\`.
- **Aliases resolve to dated ids.** Request a model by its alias or by its dated id; \`model\` in the answer is always the dated id of the
  catalog.
- **Tool arguments are model output.** They can be invalid JSON or contain invented fields. Validate them before you run anything.
`;

const endpointByRequest = new Map<string, string>();
const endpoints = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => endpoint(`${method.toUpperCase()} ${path}`, operation)),
);

function endpoint(title: string, { summary, description, requestBody, responses }: Operation): string {
  const { description: answer = '', content = {} } = responses['200'] ?? {};
  const statuses = Object.keys(responses).filter((status) => !status.startsWith('2'));
  const parts = [
    `## \`${title}\``,
    `**${summary}** ${description}`,
    ...Object.values(requestBody?.content ?? {}).map((media) => requestFields(title, media)),
    `**Answer:** ${Object.keys(content)
      .map((type) => `\`${type}\``)
      .join(' or ')}. ${answer}`,
    ...(statuses.length > 0 ? [`**Errors:** ${statuses.join(', ')}.`] : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The table of the fields, at the first endpoint with this request. */
function requestFields(title: string, media: MediaType): string {
  const reference = media.schema.$ref ?? '';
  const first = endpointByRequest.get(reference);
  if (first !== undefined) return `The request is that of \`${first}\`.`;
  endpointByRequest.set(reference, title);
  return fieldTable(reference);
}

/** The fields of the request itself. Shapes inside them are those of the public format. */
function fieldTable(reference: string): string {
  const { properties = {}, required = [] } = schemas[reference.slice(reference.lastIndexOf('/') + 1)] ?? {};
  const rows = Object.entries(properties).map(([name, property]) => {
    const preset = required.includes(name)
      ? '**required**'
      : property.default === undefined
        ? ''
        : code(property.default);
    return row(`\`${name}\``, typesOf(property).join(' or '), preset, property.description ?? '');
  });
  return `| field | type | default | rules |\n| --- | --- | --- | --- |\n${rows.join('')}`.trimEnd();
}

/** The types without null: an optional field may always be null. */
function typesOf(schema: JsonSchema): readonly string[] {
  const inner = schema.anyOf ?? schema.oneOf;
  if (inner) return [...new Set(inner.flatMap(typesOf))];
  if (schema.items) return [`${typesOf(schema.items).join(' or ') || 'any'}[]`];
  const types = schema.enum?.map(code) ?? [schema.type ?? (schema.$ref === undefined ? 'any' : 'object')].flat();
  return types.filter((type) => type !== 'null' && type !== '`null`');
}

function code(value: unknown): string {
  return `\`${JSON.stringify(value)}\``;
}

function row(...cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
}

if (import.meta.main) writeFileSync(apiDocsFile, apiDocs());
