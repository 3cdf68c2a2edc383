import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { documentedErrors, errorExamples } from '../src/surfaces/openapi/error-responses.ts';

export const errorDocsFile = fileURLToPath(new URL('../docs/errors.md', import.meta.url));

/** The text of `docs/errors.md`, made from the table that also makes the answers. */
export function errorDocs(): string {
  return `${introduction}
${table()}
${afterwords}`;
}

const introduction = `# Errors

<!-- Written by \`node scripts/error-docs.ts\` from src/core/error-table.ts. Change the table, then run it again. -->

Every response that is not a success has this body, and both \`x-gateway-*\` headers:

\`\`\`json
${JSON.stringify(errorExamples(undefined)['invalid-request']?.value, null, 2)}
\`\`\`

Decide by \`code\` or by the status. \`type\` only says which side the error comes from, and the message is for people: its
words may change, except that the request id stands in it as it stands in \`x-gateway-request-id\`. \`param\` is there only
where a provider refused the request, and is always empty. A code that is not in this table is final: do not retry it.
`;

const afterwords = `A provider's refusal carries the provider's own code where it has one, so \`upstream_rejected\` stands for a code that
varies. Status 429, \`Retry-After\` and rate-limit headers are never sent: under load a request waits for its turn.

When an answer breaks off after its stream has begun, the status is already 200. The error then arrives as one event
\`data: {"error": …}\` with the same three fields, and the stream ends without \`[DONE]\`.
`;

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
