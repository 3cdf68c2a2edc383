import type { ChatRequest } from '../chat/chat-request.ts';
import { thinksFirst, type ToolFormat, toolFormatOf } from './grammar.ts';
import type { MarkupOptions } from './markup-reader.ts';

export type MarkupRequest = Omit<MarkupOptions, 'choice' | 'newId'>;

export interface MarkupSettings {
  /** The provider's name for the model. It determines the family if the catalog does not. */
  readonly model: string;
  readonly thinking: boolean;
  readonly toolFormat: ToolFormat | undefined;
  /** Whether the prompt opens the reasoning. If undefined, the family in `toolFormat` decides. */
  readonly thinksFirst: boolean | undefined;
  readonly repairArguments: boolean;
}

export function markupFor(request: ChatRequest, settings: MarkupSettings): MarkupRequest {
  const { model, thinking, toolFormat, repairArguments } = settings;
  const isThinking = thinking && request.thinking !== 'disabled';
  return {
    format: toolFormat ?? toolFormatOf(model),
    tools: request.tools,
    toolChoice: request.toolChoice,
    wantsJson: request.answerFormat !== undefined,
    dropsReasoning: request.thinking === 'disabled',
    startsIn: isThinking ? determineStart(settings) : 'text',
    repair: repairArguments,
  };
}

/**
 * A configured family whose prompt opens the reasoning gives only `doubt`: the provider may separate such a model's
 * reasoning itself, or use its own prompt. A family derived from the model's name gives `text`, since most providers
 * that serve such a model separate its reasoning.
 */
function determineStart({ toolFormat, thinksFirst: isReasoningFirst }: MarkupSettings): MarkupOptions['startsIn'] {
  if (isReasoningFirst !== undefined) return isReasoningFirst ? 'reasoning' : 'text';
  return toolFormat !== undefined && thinksFirst(toolFormat) ? 'doubt' : 'text';
}

/** For an answer without a request: its reasoning is separated, and it contains no calls. */
export const noMarkupRequest: MarkupRequest = {
  format: 'auto',
  tools: [],
  toolChoice: undefined,
  wantsJson: false,
  dropsReasoning: false,
  startsIn: 'text',
  repair: false,
};
