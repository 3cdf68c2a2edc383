import { type ChatStream, choicesOf } from './chat-stream.ts';
import { at, listAt } from './json.ts';

/** A tool call joined from its streamed fragments. Missing fields are `undefined`. */
export interface StreamedCall {
  readonly index: unknown;
  readonly id: unknown;
  readonly type: unknown;
  readonly name: unknown;
  readonly arguments: string;
}

export function toolCallsOf(stream: ChatStream): readonly StreamedCall[] {
  const calls = new Map<unknown, StreamedCall>();
  for (const fragment of choicesOf(stream).flatMap((choice) => listAt(choice, 'delta', 'tool_calls'))) {
    const index = at(fragment, 'index');
    const known = calls.get(index);
    const more = at(fragment, 'function', 'arguments');
    calls.set(index, {
      index,
      id: known?.id ?? at(fragment, 'id'),
      type: known?.type ?? at(fragment, 'type'),
      name: known?.name ?? at(fragment, 'function', 'name'),
      arguments: (known?.arguments ?? '') + (typeof more === 'string' ? more : ''),
    });
  }
  return [...calls.values()];
}
