import type { AssistantPart, Message } from '../../core/chat/message.ts';

type SimulatedToolCall = Extract<AssistantPart, { type: 'tool-call' }>;

/** The tool calls and results since the model's last turn without a tool call. */
export interface ToolRound {
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

/** Returns all calls of a conversation. */
export function callsIn(messages: readonly Message[]): readonly SimulatedToolCall[] {
  return messages.flatMap((message) => (message.role === 'assistant' ? message.content.filter(isCall) : []));
}

function isCall(part: { readonly type: string }): part is SimulatedToolCall {
  return part.type === 'tool-call';
}
