import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import type { CheckedSchema } from 'chat-formats/guarantees/checked-schema.ts';
import { type EnforcedConstraints, enforcedConstraints } from 'chat-formats/guarantees/enforced-constraints.ts';
import type { SchemaWorkerPool } from './schema-worker-pool.ts';
import type { LiveUpstream } from '../../routing/candidates/candidates.ts';
import type { InferenceRequest } from '../inference-input.ts';

/** Client schemas that an answer has to match, already checked to be safe. */
export interface ConstraintSchemas {
  /** Schemas of strict tools, by tool name. */
  readonly strict: ReadonlyMap<string, CheckedSchema>;
  /** Schema of the text. */
  readonly json: CheckedSchema | undefined;
}

const none: ConstraintSchemas = { strict: new Map(), json: undefined };

interface SchemaParts {
  readonly pool: Pick<SchemaWorkerPool, 'checked'>;
  readonly upstream: (name: string) => LiveUpstream | undefined;
  /** The account that the work is attributed to; parties take turns. */
  readonly party: string;
}

/**
 * The schemas that the gateway validates an answer against, whichever provider of the model gives it. Rejects an
 * unusable schema before any provider is called, because the request would fail in any case.
 */
export async function checkConstraintSchemas(
  { model, request }: InferenceRequest,
  parts: SchemaParts,
): Promise<ConstraintSchemas> {
  const providers = model.routes.map((route) => parts.upstream(route.upstream)?.adapter.keeps ?? {});
  const enforced = enforcedConstraints(request, model.guarantees, providers);
  const hasSchema = enforced?.json === true && typeof request.answerFormat === 'object';
  if (!enforced || (!enforced.strict && !hasSchema)) return none;
  const [strict, json] = await Promise.all([
    checkStrict(enforced, request, parts),
    checkFormat(enforced, request, parts),
  ]);
  return { strict: new Map(strict), json };
}

function checkStrict(enforced: EnforcedConstraints, { tools }: ChatRequest, { pool, party }: SchemaParts) {
  const strict = enforced.strict ? tools.filter((tool) => tool.strict === true) : [];
  return Promise.all(
    strict.map(async ({ name, parameters = noArguments }): Promise<[string, CheckedSchema]> => {
      return [name, await pool.checked(parameters, `the schema of the tool \`${name}\``, party)];
    }),
  );
}

/** The schema of a tool without `parameters`. */
const noArguments = { type: 'object' };

function checkFormat(enforced: EnforcedConstraints, { answerFormat }: ChatRequest, { pool, party }: SchemaParts) {
  if (!enforced.json || typeof answerFormat !== 'object') return undefined;
  return pool.checked(answerFormat.schema, 'the schema of `response_format`', party);
}
