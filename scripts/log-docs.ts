import { writeFileSync } from 'node:fs';
import { lineNames, requestLineNames } from '../src/telemetry/log-names.ts';

/** `docs/logs.md`, as the tables of the names say it. Run this file to write it. */
export function logDocs(): string {
  return `${[introduction, table(lineNames), requests, table(requestLineNames), afterwords].join('\n\n')}\n`;
}

export const logDocsFile = new URL('../docs/logs.md', import.meta.url);

const introduction = `# Logs

<!-- Written by \`node scripts/log-docs.ts\` from src/telemetry/log-names.ts. Change the tables, then run it again. -->

The gateway writes to standard error, a line for everything worth knowing. \`log.format\` says in which form: \`json\`, one
object a line, or \`text\`, the same for people: \`2026-11-15T22:00:00.000Z INFO  request id=… method=POST …\`. \`log.level\`
says what is worth knowing. Every line says`;

const requests = `## The line of a request

Every HTTP request has one line when it is over: \`info\`, or \`error\` if the gateway or all providers failed it. Probes of
\`/healthz\`, \`/readyz\` and \`/metrics\` are \`debug\`. With \`log.sample: 0.1\` a tenth of the requests that went well have a
line, and all others. The names do not change; what is not known of a request is left out.`;

const afterwords = `Prompts and answers are in no line. A provider's own words about its failure may be, as the \`cause\` of a failed request
and where a credential is taken out of use, so that you can see what it complains about; secrets are taken out of them. The
id finds everything else: \`chat-gateway requests show <id>\`, the console, and the trace (\`gateway.request.id\`).`;

function table(names: Readonly<Record<string, string>>): string {
  const rows = Object.entries(names).map(([name, meaning]) => [`\`${name}\``, meaning]);
  return [['name', 'meaning'], ['---', '---'], ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

if (import.meta.main) writeFileSync(logDocsFile, logDocs());
