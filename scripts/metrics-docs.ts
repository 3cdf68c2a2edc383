import { writeFileSync } from 'node:fs';
import { type MetricSpec, metricSpecs } from '../src/operate/telemetry/metrics/metric-names.ts';

/** The text of `docs/metrics.md`, from the table of metrics. Run this file to write the page. */
export function metricsDocs(): string {
  return `${[introduction, table(), afterwords].join('\n\n')}\n`;
}

export const metricsDocsFile = new URL('../docs/metrics.md', import.meta.url);

const introduction = `# Metrics

<!-- Written by \`node scripts/metrics-docs.ts\` from src/operate/telemetry/metrics/metric-names.ts. Change the table, then run it again. -->

\`\`\`yaml
# prometheus.yml
scrape_configs:
  - job_name: chat-gateway
    static_configs: [{ targets: ["gateway.internal:8081"] }]
\`\`\`

\`GET /metrics\` returns the metrics of the gateway in the format of Prometheus:

- on \`listen.health_port\`, without authentication. Let only Prometheus reach this port;
- on the main port, with an operator's token: \`Authorization: Bearer gwa_…\`. The role \`read-only\` is enough
  (\`chat-gateway admin-tokens create\` creates a token).

With \`telemetry.metrics_detail: usual\`, the default, each model adds at most 40 series for one endpoint, package and route,
regardless of the outcomes of its requests. With \`full\` the metrics have every label and bucket of the table, and a model has well
over a hundred series: five hundred models made 52,000 series and 8 MB a scrape. The dashboard and the rules in \`deploy/views\`
work with both.

\`telemetry.metrics: false\` in the configuration file turns metrics off: the gateway counts nothing, and the path does not
exist.

Names that begin with \`gen_ai_\` follow OpenTelemetry's conventions for generative AI, in the spelling of Prometheus, so that
dashboards for these conventions work. The conventions are still in development. If they rename a metric, a later version of the
gateway renames it too.`;

const afterwords = `## Labels

Label values are names from your configuration and a few fixed words. No label contains an account, a key, an end user or
any other text of a client. The number of series therefore depends on the configuration alone.

| label | values |
| --- | --- |
| \`model\`, \`gen_ai_request_model\` | the id in the catalog, whichever alias the request named. Missing if no model was found for the request |
| \`fallback\` | the catalog id of the model that was called instead of another |
| \`upstream\` | the upstream's name |
| \`gen_ai_provider_name\` | the upstream's \`kind\`, in the words of the conventions: \`openai\`, \`anthropic\`, \`aws.bedrock\`, \`azure.ai.openai\`, \`gcp.gemini\`, \`gcp.vertex_ai\`, \`mistral_ai\`, \`x_ai\` … |
| \`gen_ai_operation_name\` | \`chat\`, \`text_completion\`, \`embeddings\`, \`generate_content\`, \`rerank\`, \`moderation\`, \`transcription\` |
| \`package\` | the package of the account |
| \`surface\` | the endpoint: \`chat_completions\`, \`completions\`, \`responses\`, \`messages\`, \`embeddings\`, \`rerank\`, \`moderations\`, \`images\`, \`speech\`, \`transcriptions\`, \`models\`, \`admin\`, \`account\`, \`sign_in\`, \`health\`, \`metrics\`; \`responses_other\` and \`messages_other\` for other paths below these two; \`other\` for everything else |
| \`status\` | the class of the status: \`2xx\`, \`4xx\`, \`5xx\`; \`none\` if no status was sent |
| \`case\` | a case of [the error table](errors.md), under its name in the log |
| \`reason\`, \`outcome\` | why a call had no result: \`busy\`, the provider returned 429, 503 or 529; \`credential\`, it refused the gateway's key; \`timeout\`; \`failure\`; \`local\`, this machine lacked a resource such as a descriptor; \`refused\`, the provider refused the request itself; \`given_up\`, the request ended first, for example because its client disconnected |
| \`reason\` of a fallback | \`failure\`, \`context_overflow\`, \`refusal\`, as in the configuration; \`passed_over\` if the fallback before it could not be called |
| \`constraint\` | \`stop\`, \`max_tokens\`, \`strict\`, \`tool_choice\`, \`json\`: the constraint of a request that a model may violate |
| \`outcome\` of a constraint, of a tool call | see the table above |
| \`error_type\` | the case of the error that a call ended with |

If a name is removed from the configuration, its series are removed at once. Answers that are still running then count under
\`other\`. If the name comes back, its counters start at zero, which Prometheus handles.

## Several workers, several machines

Each worker of a machine returns the same metrics: the sums over all workers. For a few metrics it returns the largest or the
smallest value instead, as the table notes. When a worker ends or dies, its last reported values stay in the sums. No counter
therefore decreases while the gateway runs. A worker that is killed loses the counts since its last report. A worker that ends
in order loses none. If a worker does not answer within a second, its last reported values are used. If the process that
computes the sums cannot be reached, the answer is 503 instead of a partial result.

Scrape each machine separately and add their values in Prometheus. Only \`gateway_upstream_limit\`,
\`gateway_cluster_processes\` and \`gateway_upstream_credentials\` are the same on all machines.`;

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
  const few = usual.buckets.length === 0 ? 'Only the last bucket' : 'Fewer buckets';
  return `${label} (${few} unless \`metrics_detail: full\`.)`;
}

function workersOf({ ofWorkers = 'sum' }: MetricSpec): string {
  const words = { sum: '', max: ' (Of several workers: the largest.)', min: ' (Of several workers: the smallest.)' };
  return words[ofWorkers];
}

if (import.meta.main) writeFileSync(metricsDocsFile, metricsDocs());
