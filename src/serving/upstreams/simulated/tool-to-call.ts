import type { Tool } from 'chat-formats/chat/chat-request.ts';
import type { UpstreamCall } from '../upstream.ts';
import { sampleValue } from './sample-value.ts';
import type { AssistantPart, Message } from 'chat-formats/chat/message.ts';

/** The most calls of one tool with the same arguments in one conversation. A loop beyond this would never end. */
const sameCallsMax = 2;

/**
 * Returns the call that a simulated model makes, if any. It calls a tool if the request requires it. Models with
 * `tools` in their name also call one if it is only allowed. After a tool call the conversation must end, even if a
 * call is still required: with the tool that ends an agent's run, if there is one, otherwise with text.
 */
export function toolToCall(
  call: UpstreamCall,
  prompt: string,
): { readonly name: string; readonly arguments: string } | undefined {
  const tool = chosenTool(call, prompt);
  if (!tool) return undefined;
  const callArguments = JSON.stringify(argumentsFor(tool, prompt));
  const same = callsIn(call.request.messages).filter(
    (known) => known.name === tool.name && known.arguments === callArguments,
  );
  return same.length >= sameCallsMax ? undefined : { name: tool.name, arguments: callArguments };
}

function chosenTool({ request, model }: UpstreamCall, prompt: string): Tool | undefined {
  const { tools, toolChoice = 'auto', messages } = request;
  if (toolChoice === 'none' || (toolChoice === 'auto' && !model.includes('tools'))) return undefined;
  const called = new Set(toolRoundOf(messages).calls.map(({ name }) => name));
  const offered = tools.filter(({ name }) => !called.has(name));
  if (typeof toolChoice === 'object') return offered.find(({ name }) => name === toolChoice.name);
  if (called.size > 0) return offered.find(isEnding);
  const words = prompt.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
  const useful = offered.some((tool) => !isEnding(tool)) ? offered.filter((tool) => !isEnding(tool)) : offered;
  return (
    useful.find(({ name, description }) =>
      words.some((word) => `${name} ${description}`.toLowerCase().includes(word)),
    ) ?? useful[0]
  );
}

/** Agent frameworks offer a tool that ends the run, and repeat the request until the model calls it. */
function isEnding({ name }: Tool): boolean {
  return /(^|[_-])(final|finish|finished|submit|respond|complete|completion|done|answer)([_-]|$)|structured_?output/i.test(
    name,
  );
}

function argumentsFor({ parameters = {} }: Tool, prompt: string): object {
  const value = sampleValue(parameters, prompt);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

type SimulatedToolCall = Extract<AssistantPart, { type: 'tool-call' }>;

/** The tool calls and results since the model's last turn without a tool call. */
interface ToolRound {
  readonly calls: readonly SimulatedToolCall[];
  /** The last result of its last calls, if there is one. User messages may follow it. */
  readonly result: Extract<Message, { role: 'tool' }> | undefined;
}

export function toolRoundOf(messages: readonly Message[]): ToolRound {
  const begin = messages.findLastIndex(({ role, content }) => role === 'assistant' && !content.some(isCall)) + 1;
  const round = messages.slice(begin);
  const lastAnswer = round.findLastIndex(({ role }) => role === 'assistant');
  return {
    calls: callsIn(round),
    result: lastAnswer < 0 ? undefined : round.slice(lastAnswer).findLast((message) => message.role === 'tool'),
  };
}

function callsIn(messages: readonly Message[]): readonly SimulatedToolCall[] {
  return messages.flatMap((message) => (message.role === 'assistant' ? message.content.filter(isCall) : []));
}

function isCall(part: { readonly type: string }): part is SimulatedToolCall {
  return part.type === 'tool-call';
}
