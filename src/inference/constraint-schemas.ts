import type { ChatRequest } from '../core/chat-request.ts';
import type { CheckedSchema } from '../guarantees/checked-schema.ts';
import { type EnforcedHere, keptHere } from '../guarantees/enforced-here.ts';
import type { SchemaWorkerPool } from '../guarantees/schema-worker-pool.ts';
import type { LiveUpstream } from '../routing/candidates.ts';
import type { InferenceRequest } from './inference-input.ts';

/** Schemas of strangers that an answer has to fit, found harmless. */
export interface ConstraintSchemas {
  /** Those of strict tools, by their names. */
  readonly strict: ReadonlyMap<string, CheckedSchema>;
  /** That of the text. */
  readonly json: CheckedSchema | undefined;
}

const none: ConstraintSchemas = { strict: new Map(), json: undefined };

interface SchemaParts {
  readonly desk: Pick<SchemaWorkerPool, 'checked'>;
  readonly upstream: (name: string) => LiveUpstream | undefined;
  /** Whose turn it is to have schemas looked at. */
  readonly party: string;
}

/**
 * The schemas that this gateway holds an answer against, whichever of the model's providers gives it. One that cannot be
 * used is refused before anybody is asked: the request would fail in any case.
 */
export async function promisedSchemas(
  { model, request }: InferenceRequest,
  parts: SchemaParts,
): Promise<ConstraintSchemas> {
  const providers = model.routes.map((route) => parts.upstream(route.upstream)?.adapter.keeps ?? {});
  const here = keptHere(request, model.guarantees, providers);
  const hasSchema = here?.json === true && typeof request.answerFormat === 'object';
  if (!here || (!here.strict && !hasSchema)) return none;
  const [strict, json] = await Promise.all([strictOf(here, request, parts), formatOf(here, request, parts)]);
  return { strict: new Map(strict), json };
}

function strictOf(here: EnforcedHere, { tools }: ChatRequest, { desk, party }: SchemaParts) {
  const strict = here.strict ? tools.filter((tool) => tool.strict === true) : [];
  return Promise.all(
    strict.map(async ({ name, parameters = noArguments }): Promise<[string, CheckedSchema]> => {
      return [name, await desk.checked(parameters, `the schema of the tool \`${name}\``, party)];
    }),
  );
}

/** Of a function that says nothing of what it takes. */
const noArguments = { type: 'object' };

function formatOf(here: EnforcedHere, { answerFormat }: ChatRequest, { desk, party }: SchemaParts) {
  if (!here.json || typeof answerFormat !== 'object') return undefined;
  return desk.checked(answerFormat.schema, 'the schema of `response_format`', party);
}
