import { isObject, listOf, type WireObject, wordOf } from '../wire-value.ts';
import { doneFrame, EventFrames } from './event-frames.ts';

/**
 * The events of a response that is complete, as if it were made now: every text in one piece. Those up to a number are
 * left out, but never the last one.
 */
export function replayedEvents(response: WireObject, startingAfter = -1): string {
  const frames = new EventFrames();
  const begun = { ...response, status: 'in_progress', completed_at: null, output: [], usage: null };
  const events = [
    frames.frame('response.created', { response: begun }),
    frames.frame('response.in_progress', { response: begun }),
    ...listOf(response['output'])
      .filter(isObject)
      .flatMap((item, index) => itemEvents(frames, item, index)),
    frames.frame(`response.${String(response['status'])}`, { response }),
  ];
  return events.slice(Math.min(startingAfter + 1, events.length - 1)).join('') + doneFrame;
}

/** An item from its first event to its last. */
function itemEvents(frames: EventFrames, item: WireObject, index: number): readonly string[] {
  const place = { item_id: item['id'], output_index: index };
  const added = frames.frame('response.output_item.added', { output_index: index, item: emptied(item) });
  const said = contentEvents(frames, item, place);
  return [added, ...said, frames.frame('response.output_item.done', { output_index: index, item })];
}

type Place = Readonly<Record<'item_id' | 'output_index', unknown>>;

function contentEvents(frames: EventFrames, item: WireObject, place: Place): readonly string[] {
  switch (item['type']) {
    case 'message':
      return listOf(item['content'])
        .filter(isObject)
        .flatMap((part, index) => partEvents(frames, part, { ...place, content_index: index }));
    case 'reasoning':
      return listOf(item['summary'])
        .filter(isObject)
        .flatMap((part, index) => summaryEvents(frames, part, { ...place, summary_index: index }));
    case 'function_call': {
      const text = { arguments: item['arguments'], name: item['name'] };
      return [
        frames.frame('response.function_call_arguments.delta', { ...place, delta: item['arguments'] }),
        frames.frame('response.function_call_arguments.done', { ...place, ...text }),
      ];
    }
    case 'custom_tool_call':
      return [
        frames.frame('response.custom_tool_call_input.delta', { ...place, delta: item['input'] }),
        frames.frame('response.custom_tool_call_input.done', { ...place, input: item['input'] }),
      ];
    default:
      return [];
  }
}

function partEvents(frames: EventFrames, part: WireObject, place: object): readonly string[] {
  const isRefusal = part['type'] === 'refusal';
  const [kind, field] = isRefusal ? ['refusal', 'refusal'] : ['output_text', 'text'];
  const text = wordOf(part[field]) ?? '';
  const logprobs = isRefusal ? {} : { logprobs: listOf(part['logprobs']) };
  return [
    frames.frame('response.content_part.added', {
      ...place,
      part: { ...part, [field]: '', ...(isRefusal ? {} : { annotations: [], logprobs: [] }) },
    }),
    frames.frame(`response.${kind}.delta`, { ...place, delta: text, ...logprobs }),
    frames.frame(`response.${kind}.done`, { ...place, [field]: text, ...logprobs }),
    frames.frame('response.content_part.done', { ...place, part }),
  ];
}

function summaryEvents(frames: EventFrames, part: WireObject, place: object): readonly string[] {
  const text = wordOf(part['text']) ?? '';
  return [
    frames.frame('response.reasoning_summary_part.added', { ...place, part: { ...part, text: '' } }),
    frames.frame('response.reasoning_summary_text.delta', { ...place, delta: text }),
    frames.frame('response.reasoning_summary_text.done', { ...place, text }),
    frames.frame('response.reasoning_summary_part.done', { ...place, part }),
  ];
}

/** An item before anything of it was said. */
function emptied(item: WireObject): WireObject {
  const begun = { ...item, status: 'in_progress' };
  switch (item['type']) {
    case 'message':
      return { ...begun, content: [] };
    case 'reasoning':
      return { ...begun, summary: [] };
    case 'function_call':
      return { ...begun, arguments: '' };
    case 'custom_tool_call':
      return { ...begun, input: '' };
    default:
      return begun;
  }
}
