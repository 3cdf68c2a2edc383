import { type ErrorCase, errorTable } from 'chat-formats/error-table.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import { ownJson } from 'chat-formats/json/own-json.ts';
import type { Explanation } from '../../http/exchange.ts';
import { explain } from '../envelope.ts';
import { explainMessages } from '../messages/envelope.ts';
import { type JsonSchema, schemaReference } from './component-schemas.ts';
import type { GuideStep } from './endpoint.ts';
import { exampleRequestId, headerReferences } from './response-headers.ts';

export interface DocumentedError {
  readonly status: number;
  readonly code: string;
  readonly type: string;
  readonly when: string;
  readonly remedy: string;
}

interface ErrorExample {
  readonly summary: string;
  readonly value: unknown;
}

interface ErrorResponse {
  readonly description: string;
  readonly headers: typeof headerReferences;
  readonly content: {
    readonly 'application/json': { readonly schema: JsonSchema; readonly examples: Readonly<Record<string, object>> };
  };
}

export function documentedErrors(): readonly DocumentedError[] {
  return casesByStatus().map((name) => {
    const { status, code, type, when, remedy } = errorTable[name];
    return { status, code, type, when, remedy };
  });
}

export function errorResponses(steps: readonly GuideStep[], surface?: 'messages'): Record<string, ErrorResponse> {
  const possible = casesByStatus().filter((name) => steps.includes(errorTable[name].step));
  const groups = Map.groupBy(possible, (name) => errorTable[name].status);
  return Object.fromEntries([...groups].map(([status, names]) => [String(status), errorResponse(names, surface)]));
}

/** An example of each case, created by the function that also creates the real replies. */
export function errorExamples(supportEmail: string | undefined): Record<string, ErrorExample> {
  const examples = casesByStatus().flatMap((name) => {
    const error = new GatewayError(name);
    const summary = errorTable[name].when;
    const value = (explanation: Explanation): unknown => ownJson(explanation.body);
    return [
      [name, { summary, value: value(explain(error, exampleRequestId, supportEmail)) }] as const,
      [messagesName(name), { summary, value: value(explainMessages(error, exampleRequestId, supportEmail)) }] as const,
    ];
  });
  return Object.fromEntries(examples);
}

function exampleReference(name: ErrorCase, surface: 'messages' | undefined): string {
  return `#/components/examples/${surface === 'messages' ? messagesName(name) : name}`;
}

function messagesName(name: ErrorCase): string {
  return `messages-${name}`;
}

function errorResponse(names: readonly ErrorCase[], surface: 'messages' | undefined): ErrorResponse {
  return {
    description: names.map((name) => `${codeLabel(errorTable[name].code)}: ${errorTable[name].when}`).join('\n\n'),
    headers: headerReferences,
    content: {
      'application/json': {
        schema: schemaReference(surface === 'messages' ? 'MessagesError' : 'Error'),
        examples: Object.fromEntries(names.map((name) => [name, { $ref: exampleReference(name, surface) }])),
      },
    },
  };
}

function codeLabel(code: string): string {
  return code === '' ? 'Empty code' : `\`${code}\``;
}

function casesByStatus(): ErrorCase[] {
  const names = Object.keys(errorTable) as ErrorCase[];
  return names.toSorted((one, other) => errorTable[one].status - errorTable[other].status);
}
