import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider';
import type { AnswerFormat, Tool, ToolChoice } from '../../core/chat/chat-request.ts';
import type { UpstreamCall } from '../upstream.ts';
import type { BridgeKind } from './bridge-kind.ts';
import { fittedRequest } from './fitted-request.ts';
import { encodePrompt } from './prompt.ts';
import { thinkingRequest } from './thinking-request.ts';

/** Throws a refusal that names the field if the provider does not support it. */
export function encodeCall(given: UpstreamCall, kind: BridgeKind): LanguageModelV4CallOptions {
  const { request } = fittedRequest(given, kind);
  const call = { ...given, request };
  const settings = kind.settings(call, thinkingRequest(call), request.maxTokens ?? call.maxOutputTokens);
  return {
    prompt: encodePrompt(call, kind),
    ...settings,
    temperature: request.temperature,
    topP: request.topP,
    topK: request.topK,
    ...(request.stop.length > 0 && { stopSequences: [...request.stop] }),
    ...(request.answerFormat !== undefined && { responseFormat: responseFormat(request.answerFormat) }),
    ...(request.tools.length > 0 && { tools: request.tools.map(functionTool) }),
    ...(request.tools.length > 0 && request.toolChoice !== undefined && { toolChoice: toolChoice(request.toolChoice) }),
    includeRawChunks: true,
  };
}

type ToolInputSchema = LanguageModelV4FunctionTool['inputSchema'];

const anyArguments: ToolInputSchema = { type: 'object', properties: {} };

function functionTool({ name, description, parameters, strict }: Tool): LanguageModelV4FunctionTool {
  return {
    type: 'function',
    name,
    ...(description !== undefined && { description }),
    inputSchema: parameters === undefined ? anyArguments : (parameters as ToolInputSchema),
    ...(strict !== undefined && { strict }),
  };
}

function toolChoice(choice: ToolChoice): NonNullable<LanguageModelV4CallOptions['toolChoice']> {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.name };
}

function responseFormat(format: AnswerFormat): NonNullable<LanguageModelV4CallOptions['responseFormat']> {
  if (format === 'json') return { type: 'json' };
  return {
    type: 'json',
    schema: format.schema as ToolInputSchema,
    ...(format.name !== undefined && { name: format.name }),
  };
}
