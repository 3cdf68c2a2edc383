import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { cliReasons } from '../src/cli/terminal/reasons.ts';
import { rules } from 'chat-formats/reasons/rules.ts';
import type { Texts } from 'chat-formats/reasons/text.ts';
import { reasonTexts } from 'chat-formats/reasons/texts.ts';
import { documentedErrors, errorExamples } from '../src/serving/surfaces/openapi/error-responses.ts';

export const errorDocsFile = fileURLToPath(new URL('../docs/errors.md', import.meta.url));

/** The text of `docs/errors.md`, from the table that the error responses use. Run this file to write the page. */
export function errorDocs(): string {
  return `${introduction}
${table()}
${afterwords}
${reasonDocs()}`;
}

const introduction = `# Errors

<!-- Written by \`node scripts/error-docs.ts\` from packages/formats/src/error-table.ts. Change the table, then run it again. -->

Every error response has this body, and both \`x-gateway-*\` headers:

\`\`\`json
${JSON.stringify(errorExamples(undefined)['invalid-request']?.value, null, 2)}
\`\`\`

Let your client decide by \`code\` or by the status. \`type\` names only the side that the error comes from. The message is for
people: its text may change, but it always contains the request id of \`x-gateway-request-id\`. \`param\` exists only if a
provider refused the request, and is always empty. A code that is not in this table is final: do not retry it.
`;

const afterwords = `If a provider refuses a request with a code of its own, the error has that code. So \`upstream_rejected\` stands for a code that
varies. The gateway never sends status 429, \`Retry-After\` or rate-limit headers: under load, requests wait for a slot.

If an answer breaks off after its stream has begun, the status is already 200. The error is then one event
\`data: {"error": …}\` with the same three fields, and the stream ends without \`[DONE]\`.
`;

/** The reasons that our own APIs add to the envelope. */
function reasonDocs(): string {
  return `## Reasons

The admin API, the account API and the sign-in add \`reason\` and \`params\` to the error. \`reason\` is stable, and \`params\` are
the values in braces below. If fields break rules, \`problems\` lists up to 1,000 of them, each with its \`field\`, \`reason\` and
\`params\`, and often a \`fix\` for people:

\`\`\`json
${JSON.stringify(reasonExample, null, 2)}
\`\`\`

| reason | message |
| --- | --- |
${lines(reasonTexts)}
## Rules of fields

These are the reasons in \`problems\`, and those that \`chat-gateway check --json\` reports for a configuration file.

| reason | message |
| --- | --- |
${lines(rules)}
## Reasons of commands

With \`--json\`, a command that fails prints these. It prints the reasons above too, if the gateway's own rules refuse it.

| reason | message |
| --- | --- |
${lines(commandTexts)}`;
}

const commandTexts: Texts = Object.fromEntries(
  Object.entries(cliReasons).map(([code, { text }]) => [code, [text, '']]),
);

const reasonExample = {
  error: {
    code: 'invalid_request',
    message: '`name` must have at most 64 characters. Write a name. (request id: …)',
    type: 'gateway_error',
    reason: 'invalid_fields',
    params: {},
    problems: [{ field: 'name', reason: 'text_too_long', params: { max: 64 }, fix: 'Write a name.' }],
  },
};

function lines(texts: Texts): string {
  return Object.entries(texts)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([code, [english]]) => `| \`${code}\` | ${escapeCell(english)} |\n`)
    .join('');
}

function table(): string {
  const rows = documentedErrors().map(({ status, code, type, when, remedy }) => [
    String(status),
    code === '' ? '(empty)' : `\`${code}\``,
    `\`${type}\``,
    when,
    remedy,
  ]);
  const head = ['status', 'code', 'type', 'when', 'what to do'];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(escapeCell).join(' | ')} |\n`).join('');
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|');
}

if (import.meta.main) writeFileSync(errorDocsFile, errorDocs());
