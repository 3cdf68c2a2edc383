import { writeFileSync } from 'node:fs';
import { lineNames, requestLineNames } from '../src/operate/telemetry/logs/log-names.ts';

/** The text of `docs/logs.md`, from the tables of field names. Run this file to write the page. */
export function logDocs(): string {
  return `${[introduction, table(lineNames), requests, table(requestLineNames), afterwords].join('\n\n')}\n`;
}

export const logDocsFile = new URL('../docs/logs.md', import.meta.url);

const introduction = `# Logs

<!-- Written by \`node scripts/log-docs.ts\` from src/operate/telemetry/logs/log-names.ts. Change the tables, then run it again. -->

\`\`\`sh run
grep --max-count 1 'method=POST' gateway.log
\`\`\`

\`\`\`text output
…Z INFO  request id=… method=POST …
\`\`\`

The gateway writes its log to standard error, one line for each event. \`log.format: json\` writes one JSON object a line.
\`log.format: text\` writes the same for people, as above. \`log.level\` is the lowest level that is written. Every line has these
fields:`;

const requests = `## The line of a request

The gateway writes one line for every HTTP request when the request is over. Its level is \`info\`, or \`error\` if the gateway
or all providers failed. The level of probes (\`/healthz\`, \`/readyz\`, \`/metrics\`) is \`debug\`. With \`log.sample: 0.1\` the
gateway logs 10 % of the successful requests and all failed ones. The names of the fields are stable. A field without a value is
left out.`;

const afterwords = `No line contains a prompt or an answer. A line may contain the provider's text about a failure: as the \`cause\` of a failed
request, and when a credential is ejected. Secrets are removed from that text. The id of a request finds everything else:
\`chat-gateway requests show <id>\`, the dashboard, and the trace (\`gateway.request.id\`).`;

function table(names: Readonly<Record<string, string>>): string {
  const rows = Object.entries(names).map(([name, meaning]) => [`\`${name}\``, meaning]);
  return [['name', 'meaning'], ['---', '---'], ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

if (import.meta.main) writeFileSync(logDocsFile, logDocs());
