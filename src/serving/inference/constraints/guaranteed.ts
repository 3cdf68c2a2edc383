import type { AnswerFormat, ChatRequest } from 'chat-formats/chat/chat-request.ts';
import type { Clock } from '../../../core/time/clock.ts';
import type { EventFlow } from 'chat-formats/chat/event-flow.ts';
import type { ConstraintName, ReportConstraint } from 'chat-formats/chat/guarantee.ts';
import type { Model } from 'chat-formats/chat/model.ts';
import { CallGate, type CallTerms } from 'chat-formats/guarantees/call-gate.ts';
import { CuttingGate } from 'chat-formats/guarantees/cutting-gate.ts';
import { JsonGate, type JsonTerms } from 'chat-formats/guarantees/json-gate.ts';
import { type EnforcedConstraints, enforcedConstraints } from 'chat-formats/guarantees/enforced-constraints.ts';
import type { Candidate, LiveUpstream } from '../../routing/candidates/candidates.ts';
import { canContinue } from '../../routing/answers/continued-flow.ts';
import type { OpenedStream } from '../../routing/opened-stream.ts';
import type { ConstraintSchemas } from './constraint-schemas.ts';

interface ConstraintRequest {
  readonly model: Model;
  readonly request: ChatRequest;
  /** Whether nothing of the answer goes out before its end. Then holding it until it is valid causes no delay. */
  readonly isJsonReply: boolean;
  readonly upstream: (name: string) => LiveUpstream | undefined;
  readonly report: ReportConstraint;
  readonly clock: Clock;
  readonly schemas: ConstraintSchemas | undefined;
  /** Wraps an answer before it is held back or discarded. */
  readonly addToBill: (flow: EventFlow) => EventFlow;
}

/** An answer after the stages that enforce its constraints. */
interface ConstrainedStream {
  readonly flow: EventFlow;
  /** Constraints that the answer may still violate; a violation needs a re-prompt. */
  readonly breakable: readonly ConstraintName[];
}

/**
 * Adds a stage for each constraint that the provider may violate. The stages that truncate come first, so the others
 * never see the truncated part. The stages that hold content back follow; they fail with a `ConstraintViolation`.
 */
export function enforceConstraints(
  { flow, candidate }: OpenedStream,
  constraints: ConstraintRequest,
): ConstrainedStream {
  const { addToBill } = constraints;
  const enforced = enforcedConstraintsFor(candidate, constraints);
  if (!enforced) return { flow, breakable: [] };
  const truncated = truncate(flow, enforced, constraints);
  const breakable = breakableOf(enforced);
  if (breakable.length === 0) return { flow: truncated, breakable };
  return { flow: holdBack(addToBill(truncated), enforced, constraints), breakable };
}

/**
 * The constraints that the gateway enforces for this candidate. Includes other providers that may continue its answer.
 */
export function enforcedConstraintsFor(
  candidate: Pick<Candidate, 'upstream'>,
  { model, request, upstream }: Pick<ConstraintRequest, 'model' | 'request' | 'upstream'>,
): EnforcedConstraints | undefined {
  const others = model.continue === 'never' ? [] : model.routes.map((route) => upstream(route.upstream));
  const providers = [candidate.upstream, ...others].map((each) => each?.adapter.keeps ?? {});
  return enforcedConstraints(request, model.guarantees, providers);
}

/** Adds the stage that truncates an answer. */
function truncate(
  flow: EventFlow,
  enforced: EnforcedConstraints,
  { model, request, report, clock }: ConstraintRequest,
): EventFlow {
  if (!enforced.stop && !enforced.maxTokens) return flow;
  const { choices } = request;
  const stop = enforced.stop ? request.stop : undefined;
  const maxTokens = enforced.maxTokens ? request.maxTokens : undefined;
  // Do not wait for usage if the answer can be continued: a failure during the wait would let another provider
  // continue.
  const wait = canContinue(model, request) ? {} : { clock };
  return new CuttingGate(flow, { choices, stop, maxTokens, report: report, ...wait });
}

type ConstraintTerms = Pick<ConstraintRequest, 'model' | 'request' | 'isJsonReply' | 'schemas'>;

/** Adds the stages that hold back content that may violate a constraint. */
function holdBack(flow: EventFlow, enforced: EnforcedConstraints, terms: ConstraintTerms): EventFlow {
  const calls = enforced.strict || enforced.toolChoice ? new CallGate(flow, callTerms(enforced, terms)) : flow;
  const { answerFormat } = terms.request;
  return enforced.json && answerFormat !== undefined ? new JsonGate(calls, jsonTerms(answerFormat, terms)) : calls;
}

function jsonTerms(format: AnswerFormat, { model, request, isJsonReply, schemas }: ConstraintTerms): JsonTerms {
  return {
    choices: request.choices,
    roots: format === 'json' ? '{' : rootsOf(format.schema),
    schema: schemas?.json,
    delivery: isJsonReply ? 'whole' : (model.jsonDelivery ?? 'stream'),
  };
}

function callTerms(enforced: EnforcedConstraints, { request, schemas }: ConstraintTerms): CallTerms {
  const { choices, toolChoice, parallelToolCalls } = request;
  return {
    choices,
    ...(enforced.toolChoice && { toolChoice, isSingle: parallelToolCalls === false }),
    ...(enforced.strict && schemas && { strict: schemas.strict }),
  };
}

function breakableOf({ strict, toolChoice, json }: EnforcedConstraints): readonly ConstraintName[] {
  const each: readonly (readonly [ConstraintName, boolean])[] = [
    ['strict', strict],
    ['tool_choice', toolChoice],
    ['json', json],
  ];
  return each.flatMap(([name, isEnforced]) => (isEnforced ? [name] : []));
}

/**
 * Returns the characters with which a structure of a schema may begin: `{`, `[`, or both if the schema states no type.
 */
function rootsOf({ type }: Readonly<Record<string, unknown>>): string {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  if (type === undefined) return '{[';
  return `${types.includes('object') ? '{' : ''}${types.includes('array') ? '[' : ''}`;
}
