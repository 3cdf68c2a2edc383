import { z } from 'zod';
import type { CredentialReport, UpstreamReport } from '../../../serving/routing/upstream-report.ts';
import { type Endpoint, readEndpoint } from '../api/endpoint.ts';
import { documentAs } from '../api/wire.ts';
import { holderSchema, holdersOf, type ServiceProcesses, withPeers } from '../system/service-processes.ts';

const time = z.iso.datetime().nullable();

const credentialSchema = z.strictObject({
  index: z.int().describe('Index in the list of credentials, from 0.'),
  state: z
    .enum(['healthy', 'ramping', 'half-open', 'ejected', 'disabled'])
    .describe(
      'After several failures in a row, a credential is `ejected` for a while. Then one request tries it (`half-open`), and its load returns slowly (`ramping`). A credential that the provider refuses is `disabled`. The last credential of a model is used in any state.',
    ),
  ejected_until: time.describe('When it is tried again. Null unless it is ejected.'),
  cooldown_until: time.describe('End of the current cooldown.'),
  running: z.int(),
  latency_ms: z.int().nullable().describe('Typical time to the first content.'),
  consecutive_failures: z.int(),
  last_error: z.string().nullable().describe('In the words of the provider, without secrets.'),
  last_error_at: time,
});

/** The reply. The CLI reads it too. */
export const upstreamHealthSchema = z.strictObject({
  upstreams: z.array(
    z.strictObject({
      name: z.string(),
      running: z.int().describe('Answers running now.'),
      waiting: z.int().describe('Requests waiting for a slot.'),
      limit: z.int().describe('Concurrency limit: answers that may run at once.'),
      credentials: z.array(credentialSchema),
      processes: z.array(holderSchema).describe('Share of each process. Empty if one process has all slots.'),
    }),
  ),
  retries: z.strictObject({ in_use: z.int(), limit: z.int() }).describe('Retries in flight, and their limit.'),
});

export const upstreamHealthEndpoints: readonly Endpoint[] = [
  readEndpoint('GET /admin/v1/upstreams/health', 'getUpstreamHealth', 'read-only', {
    summary:
      'Get the health of the upstreams: running and waiting requests of all processes, and credentials as the answering process sees them.',
    reply: {
      name: 'UpstreamHealth',
      schema: upstreamHealthSchema,
      inside: [
        { name: 'CredentialHealth', schema: credentialSchema },
        { name: 'ProcessShare', schema: holderSchema },
      ],
    },
    run: async ({ parts }) => {
      const { inUse, limit } = parts.figures().retries;
      const service = await parts.sharing();
      const reports = withPeers(parts.upstreams.report(), service);
      return {
        upstreams: reports.map((report) => upstreamDocument(report, service)),
        retries: { in_use: inUse, limit },
      };
    },
  }),
];

function upstreamDocument({ credentials, name, running, waiting, limit }: UpstreamReport, service: ServiceProcesses) {
  const processes = [...holdersOf(name, service)];
  return { name, running, waiting, limit, credentials: credentials.map(credentialDocument), processes };
}

function credentialDocument(credential: CredentialReport): z.input<typeof credentialSchema> {
  const { outUntil: ejectedUntil, pausedUntil: cooldownUntil, failures: consecutiveFailures } = credential;
  return documentAs(credentialSchema.shape, { ...credential, ejectedUntil, cooldownUntil, consecutiveFailures });
}
