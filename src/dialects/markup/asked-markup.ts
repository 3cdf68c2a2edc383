import type { ChatRequest } from '../../core/chat-request.ts';
import { thinksFirst, type ToolFormat, toolFormatOf } from './grammar.ts';
import type { MarkupOptions } from './markup-reader.ts';

/** What a request and its model say about the markup to expect in the answer. */
export type AskedMarkup = Omit<MarkupOptions, 'choice' | 'newId'>;

/** What the catalog says about the markup of a model. */
export interface MarkupSettings {
  /** The name the provider knows the model by: it tells the family where the catalog does not. */
  readonly model: string;
  readonly thinking: boolean;
  readonly toolFormat: ToolFormat | undefined;
  /** Whether the prompt opens the reasoning; what the family named in `toolFormat` does if not said. */
  readonly thinksFirst: boolean | undefined;
  readonly repairArguments: boolean;
}

/** What markup to look for in the answer to a request. */
export function askedMarkup(request: ChatRequest, settings: MarkupSettings): AskedMarkup {
  const { model, thinking, toolFormat, repairArguments } = settings;
  const isThinking = thinking && request.thinking !== 'disabled';
  return {
    format: toolFormat ?? toolFormatOf(model),
    tools: request.tools,
    toolChoice: request.toolChoice,
    wantsJson: request.answerFormat !== undefined,
    dropsReasoning: request.thinking === 'disabled',
    startsIn: isThinking ? beginning(settings) : 'text',
    repair: repairArguments,
  };
}

/**
 * A family's prompt is no proof: the provider may split such a model's reasoning itself, or use a prompt of its own. A
 * name alone is not even a hint, since most providers that serve such a model do split it.
 */
function beginning({ toolFormat, thinksFirst: isSaid }: MarkupSettings): MarkupOptions['startsIn'] {
  if (isSaid !== undefined) return isSaid ? 'reasoning' : 'text';
  return toolFormat !== undefined && thinksFirst(toolFormat) ? 'doubt' : 'text';
}

/** An answer to nothing in particular: its reasoning is told apart, and it calls nothing. */
export const nothingAsked: AskedMarkup = {
  format: 'auto',
  tools: [],
  toolChoice: undefined,
  wantsJson: false,
  dropsReasoning: false,
  startsIn: 'text',
  repair: false,
};
