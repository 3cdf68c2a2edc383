import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { documentedErrors, errorExamples } from '../src/surfaces/openapi/error-responses.ts';

export const errorDocsFile = fileURLToPath(new URL('../docs/errors.md', import.meta.url));

/** The text of `docs/errors.md`, from the table that the error responses use. Run this file to write the page. */
export function errorDocs(): string {
  return `${introduction}
${table()}
${afterwords}`;
}

const introduction = `# Errors

<!-- Written by \`node scripts/error-docs.ts\` from src/core/error-table.ts. Change the table, then run it again. -->

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
