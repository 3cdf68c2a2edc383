import type { AssistantPart, TextPart, UserPart, CacheLife, MediaSource } from '../../chat/message.ts';
import { isObject, listOf, type WireObject, nonEmptyString, wordSet, stringOf, objectOf } from '../../wire-value.ts';
import { toolSearch } from './declared-tools.ts';
import type { ReasoningItem, Unseal } from '../reasoning-item.ts';
import type { ToolIdentity, ToolNames } from '../../tool-names.ts';
import { cacheOf } from '../../cache-control.ts';
import { decodeAudio, sourceAt } from '../../media.ts';

/** The content of an input item, before it is assigned to a turn. */
export type DecodedPiece =
  | { readonly kind: 'system'; readonly content: readonly TextPart[] }
  | { readonly kind: 'user'; readonly content: readonly UserPart[] }
  | { readonly kind: 'assistant'; readonly parts: readonly AssistantPart[] }
  | { readonly kind: 'call'; readonly id: string | undefined; readonly name: string; readonly arguments: string }
  | { readonly kind: 'output'; readonly id: string | undefined; readonly content: readonly UserPart[] };

export interface ItemDecoding {
  readonly names: ToolNames;
  readonly unseal: Unseal;
}

/** Decodes an input item. Returns undefined if nothing of it is sent to the model. */
export function decodeItem(item: WireObject, decoding: ItemDecoding): DecodedPiece | undefined {
  const type = item.type ?? (item.role === undefined ? undefined : 'message');
  switch (type) {
    case 'message':
      return decodeMessage(item);
    case 'reasoning':
      return { kind: 'assistant', parts: decodeReasoning(item, decoding.unseal) };
    case 'agent_message':
      return { kind: 'user', content: [{ type: 'text', text: agentText(item) }] };
    case 'compaction':
    case 'compaction_summary':
    case 'context_compaction':
      return decodeSummary(item, decoding.unseal);
    default:
      return decodeCallOrOutput(nonEmptyString(type) ?? '', item, decoding);
  }
}

/** Whether items of this type are sent to the model, as messages or as tools that they declare. */
export function isItemSent(item: WireObject): boolean {
  const type = item.type ?? (item.role === undefined ? undefined : 'message');
  return sentTypes.has(type);
}

function decodeMessage(item: WireObject): DecodedPiece {
  switch (item.role) {
    case 'system':
    case 'developer':
      return { kind: 'system', content: decodeText(item.content) };
    case 'assistant':
      return { kind: 'assistant', parts: decodeText(item.content).filter(({ text }) => text !== '') };
    default:
      return { kind: 'user', content: decodeUserContent(item.content) };
  }
}

/** Sealed reasoning contains more than its visible text. If another party sealed it, only that text is left. */
function decodeReasoning(item: WireObject, unseal: Unseal): readonly ReasoningItem[] {
  const sealed = nonEmptyString(item.encrypted_content);
  const opened = sealed === undefined ? undefined : unseal(sealed);
  if (opened) return opened;
  const shown = decodeText(item.content);
  const text = (shown.length > 0 ? shown : decodeText(item.summary)).map((part) => part.text).join('\n\n');
  return text === '' ? [] : [{ type: 'reasoning', text }];
}

function decodeSummary(item: WireObject, unseal: Unseal): DecodedPiece | undefined {
  const opened = unseal(nonEmptyString(item.encrypted_content) ?? '') ?? [];
  const text = opened.map((part) => (part.type === 'reasoning' ? part.text : '')).join('');
  if (text === '') return undefined;
  return { kind: 'user', content: [{ type: 'text', text: `Summary of the conversation so far:\n\n${text}` }] };
}

function agentText(item: WireObject): string {
  const texts = decodeText(item.content).map(({ text }) => text);
  return `${nonEmptyString(item.author) ?? 'agent'} → ${nonEmptyString(item.recipient) ?? 'agent'}: ${texts.join('\n\n')}`;
}

function decodeCallOrOutput(type: string, item: WireObject, { names }: ItemDecoding): DecodedPiece | undefined {
  const call = Object.hasOwn(calls, type) ? calls[type] : undefined;
  if (call) {
    const name = names.wireName(call.identity(item));
    return { kind: 'call', id: callIdOf(item), name, arguments: call.arguments(item) };
  }
  if (!outputs.has(type)) return undefined;
  return { kind: 'output', id: callIdOf(item), content: outputOf(item) };
}

interface CallDecoding {
  identity(item: WireObject): ToolIdentity;
  arguments(item: WireObject): string;
}

const identityOf = (kind: ToolIdentity['kind']) => (item: WireObject) => ({
  namespace: nonEmptyString(item.namespace),
  name: nonEmptyString(item.name) ?? '',
  kind,
});

/** A call without a name of its own, whose arguments are the object in a field. */
const namelessCall = (name: string, field: string): CallDecoding => ({
  identity: () => ({ namespace: undefined, name, kind: name === toolSearch ? 'tool-search' : 'function' }),
  arguments: (item) => {
    const value = item[field];
    return field === 'arguments' && typeof value === 'string' ? value : JSON.stringify(value ?? {});
  },
});

/** Decodes calls of every kind as function calls. A call must keep its name when the conversation is sent again. */
const calls: Readonly<Record<string, CallDecoding>> = {
  function_call: {
    identity: identityOf('function'),
    arguments: (item) => nonEmptyString(item.arguments)?.trim() || '{}',
  },
  custom_tool_call: {
    identity: identityOf('custom'),
    arguments: (item) => JSON.stringify({ input: stringOf(item.input) }),
  },
  tool_search_call: namelessCall(toolSearch, 'arguments'),
  local_shell_call: namelessCall('local_shell', 'action'),
  shell_call: namelessCall('shell', 'action'),
  apply_patch_call: namelessCall('apply_patch', 'operation'),
};

const outputs = wordSet(`
  function_call_output custom_tool_call_output tool_search_output local_shell_call_output shell_call_output
  apply_patch_call_output
`);

const sentTypes: ReadonlySet<unknown> = new Set([
  ...wordSet('message reasoning agent_message compaction compaction_summary context_compaction additional_tools'),
  ...Object.keys(calls),
  ...outputs,
]);

/** The result of a local shell call has the id of its call in `id`. */
function callIdOf(item: WireObject): string | undefined {
  return (
    nonEmptyString(item.call_id) ?? (item.type === 'local_shell_call_output' ? nonEmptyString(item.id) : undefined)
  );
}

function outputOf(item: WireObject): readonly UserPart[] {
  if (item.type === 'tool_search_output') return [{ type: 'text', text: toolSearchText(item) }];
  const { output } = item;
  const parts = decodeUserContent(output);
  const isNothing = output === undefined || output === null || (Array.isArray(output) && output.length === 0);
  return parts.length > 0 || isNothing ? parts : [{ type: 'text', text: JSON.stringify(output) }];
}

function toolSearchText(item: WireObject): string {
  const found = listOf(item.tools).filter(isObject);
  const names = found.flatMap((tool) => nonEmptyString(tool.name) ?? []);
  return names.length === 0 ? 'No tools were found.' : `These tools can be used now: ${names.join(', ')}`;
}

/** A string, or parts of a user message or tool result. Parts that core cannot represent are dropped. */
function decodeUserContent(content: unknown): readonly UserPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return listOf(content)
    .filter(isObject)
    .flatMap((part) => decodePart(part) ?? []);
}

function decodeText(content: unknown): readonly TextPart[] {
  return decodeUserContent(content).filter((part) => part.type === 'text');
}

/** Decodes a part of a message. Returns undefined if its type is unknown or only a provider could read it. */
export function decodePart(part: WireObject): UserPart | undefined {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'summary_text':
    case 'reasoning_text':
      return { type: 'text', text: stringOf(part.text), ...markOf(part) };
    case 'refusal':
      return { type: 'text', text: stringOf(part.refusal), ...markOf(part) };
    case 'input_image': {
      const address = nonEmptyString(part.image_url) ?? nonEmptyString(objectOf(part.image_url)?.url);
      return address === undefined ? undefined : { type: 'image', source: sourceAt(address), ...markOf(part) };
    }
    case 'input_file':
      return decodeFile(part);
    case 'input_audio': {
      const url = nonEmptyString(part.audio_url);
      const source = url === undefined ? decodeAudio(part.input_audio) : sourceAt(url);
      return source && { type: 'audio', source };
    }
    default:
      return undefined;
  }
}

function decodeFile(part: WireObject): UserPart | undefined {
  const title = nonEmptyString(part.filename);
  const url = nonEmptyString(part.file_url);
  const data = nonEmptyString(part.file_data);
  const source = url === undefined ? data && fileSource(data, title) : { url };
  if (!source) return undefined;
  return { type: 'document', source, ...(title !== undefined && { title }), ...markOf(part) };
}

/** Some clients send only the bytes. The extension of the file name then determines their type. */
function fileSource(data: string, title: string | undefined): MediaSource {
  if (/^data:/i.test(data)) return sourceAt(data);
  return { mediaType: /\.(txt|md|csv)$/i.test(title ?? '') ? 'text/plain' : 'application/pdf', data };
}

/** Clients have two fields to request that the provider caches the prompt up to this part. */
function markOf(part: WireObject): { readonly cache?: CacheLife } {
  return isObject(part.prompt_cache_breakpoint) ? { cache: '5m' } : cacheOf(part);
}
