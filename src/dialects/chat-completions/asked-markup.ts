import type { ChatRequest } from '../../core/chat-request.ts';
import { thinksFirst, type ToolFormat, toolFormatOf } from '../markup/grammar.ts';
import type { MarkupOptions } from '../markup/markup-reader.ts';

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
  // A name alone is no proof: many providers split such a model's reasoning themselves, and then its text is its answer.
  const opensReasoning = settings.thinksFirst ?? (toolFormat !== undefined && thinksFirst(toolFormat));
  return {
    format: toolFormat ?? toolFormatOf(model),
    tools: request.tools,
    toolChoice: request.toolChoice,
    wantsJson: request.answerFormat !== undefined,
    dropsReasoning: request.thinking === 'disabled',
    startsInReasoning: isThinking && opensReasoning,
    repair: repairArguments,
  };
}

/** An answer to nothing in particular: its reasoning is told apart, and it calls nothing. */
export const nothingAsked: AskedMarkup = {
  format: 'auto',
  tools: [],
  toolChoice: undefined,
  wantsJson: false,
  dropsReasoning: false,
  startsInReasoning: false,
  repair: false,
};
