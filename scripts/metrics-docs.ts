import { writeFileSync } from 'node:fs';
import { type MetricSpec, metricSpecs } from '../src/telemetry/metric-names.ts';

/** `docs/metrics.md`, as the table of the metrics says it. Run this file to write it. */
export function metricsDocs(): string {
  return `${[introduction, table(), afterwords].join('\n\n')}\n`;
}

export const metricsDocsFile = new URL('../docs/metrics.md', import.meta.url);

const introduction = `# Metrics

<!-- Written by \`node scripts/metrics-docs.ts\` from src/telemetry/metric-names.ts. Change the table, then run it again. -->

\`GET /metrics\` says how the gateway is doing, in the format of Prometheus. It is served

- on \`listen.health_port\`, to anybody who can reach that port. Give Prometheus this one, and nobody else;
- on the main port, to whoever sends an operator's token: \`Authorization: Bearer gwa_…\`. The role \`read-only\` will do
  (\`chat-gateway admin-tokens create\` makes one).

\`\`\`yaml
# prometheus.yml
scrape_configs:
  - job_name: chat-gateway
    static_configs: [{ targets: ["gateway.internal:8081"] }]
\`\`\`

Each model adds at most 40 series for one endpoint, package and route, whatever becomes of its requests: \`telemetry.metrics_detail\` is \`usual\`.
With \`full\` every label and bucket of the table is there, and a model has well over a hundred: five hundred models made 52,000 series and 8 MB a scrape.
The dashboard and the rules in \`deploy/views\` work with either.

\`telemetry.metrics: false\` in the configuration file turns it off: nothing is counted then, and the path is not there.

Names that begin with \`gen_ai_\` are those of OpenTelemetry's conventions for generative AI, in the spelling of Prometheus,
so that dashboards made for them work. The conventions are still in development; should they rename something, so will a
later version of the gateway.`;

const afterwords = `## Labels

Labels have the names of what you have configured, and a few words of ours. They never have an account, a key, an end user
or anything else that a client wrote, so that the number of series depends on the configuration alone.

| label | values |
| --- | --- |
| \`model\`, \`gen_ai_request_model\` | the id in the catalog, whatever alias was asked for. Not there for a request that no model was found for |
| \`fallback\` | the id in the catalog of the model that was asked in the place of another |
| \`upstream\` | the upstream's name |
| \`gen_ai_provider_name\` | the upstream's \`kind\`, as the conventions call it: \`openai\`, \`anthropic\`, \`aws.bedrock\`, \`azure.ai.openai\`, \`gcp.gemini\`, \`gcp.vertex_ai\`, \`mistral_ai\`, \`x_ai\` … |
| \`gen_ai_operation_name\` | \`chat\`, \`text_completion\`, \`embeddings\`, \`generate_content\`, \`rerank\`, \`moderation\`, \`transcription\` |
| \`package\` | the package of the account |
| \`surface\` | the endpoint: \`chat_completions\`, \`completions\`, \`responses\`, \`messages\`, \`embeddings\`, \`rerank\`, \`moderations\`, \`images\`, \`speech\`, \`transcriptions\`, \`models\`, \`admin\`, \`account\`, \`sign_in\`, \`health\`, \`metrics\`; \`responses_other\` and \`messages_other\` for what is below those paths; \`other\` for everything else |
| \`status\` | the class of the status: \`2xx\`, \`4xx\`, \`5xx\`; \`none\` where nothing was sent |
| \`case\` | a case of [the error table](errors.md), by its name in the log |
| \`reason\`, \`outcome\` | why nothing came of a call: \`busy\`, the provider wants us to wait; \`credential\`, it refused our key; \`timeout\`; \`failure\`; \`local\`, this machine was short of something; \`refused\`, it refused the request itself; \`given_up\`, nobody wanted it any more |
| \`reason\` of a fallback | \`failure\`, \`context_overflow\`, \`refusal\`, as in the configuration; \`passed_over\` where the fallback before it could not be asked |
| \`promise\` | \`stop\`, \`max_tokens\`, \`strict\`, \`tool_choice\`, \`json\`: what a request asked for and a model may break |
| \`outcome\` of a promise, of a tool call | as the table above says |
| \`error_type\` | the case of the error a call ended with |

What is taken out of the configuration is taken out of the metrics at once; answers that still run then count under
\`other\`. Should it come back, its counters begin at nothing, which Prometheus understands.

## Several workers, several machines

The workers of one machine answer as one: whichever of them is asked, it says the sum. Of a few figures it says the largest
or the smallest, as the table tells. What a worker has said once is kept when it ends or dies, so that no counter ever gets
smaller while the gateway runs; what it counted since it was last asked is lost if it is killed, and nothing is lost if it
ends in order. A worker that does not answer within a second counts with what it said last. If the process that adds it all
up cannot be reached, the answer is 503 rather than a part of the whole.

Machines are asked each for itself. Add their figures up in Prometheus; only \`gateway_upstream_limit\`,
\`gateway_cluster_processes\` and \`gateway_upstream_credentials\` say the same on all of them.`;

function table(): string {
  const specs: readonly (readonly [string, MetricSpec])[] = Object.entries(metricSpecs);
  const rows = specs.map(([name, spec]) => [
    `\`${name}\``,
    spec.type,
    labelsOf(spec),
    `${spec.help}${detailOf(spec)}${workersOf(spec)}`,
  ]);
  const head = ['name', 'type', 'labels', 'meaning'];
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return ['## Names', lines.join('\n')].join('\n\n');
}

function labelsOf({ labels }: MetricSpec): string {
  return labels.map((label) => `\`${label}\``).join(', ');
}

function detailOf({ usual }: MetricSpec): string {
  const without = usual?.without?.map((label) => `\`${label}\``).join(', ');
  const label = without === undefined ? '' : ` (${without} only with \`metrics_detail: full\`.)`;
  if (usual?.buckets === undefined) return label;
  const few = usual.buckets.length === 0 ? 'No buckets but the last' : 'Fewer buckets';
  return `${label} (${few} unless \`metrics_detail: full\`.)`;
}

function workersOf({ ofWorkers = 'sum' }: MetricSpec): string {
  const words = { sum: '', max: ' (Of several workers: the largest.)', min: ' (Of several workers: the smallest.)' };
  return words[ofWorkers];
}

if (import.meta.main) writeFileSync(metricsDocsFile, metricsDocs());
