import { fieldsOutside, type FieldPath } from '../../invalid-request.ts';
import {
  isObject,
  listOf,
  objectOf,
  type WireObject,
  nonEmptyString,
  wordSet,
  objectEntries,
} from '../../wire-value.ts';
import { countTokensSchema, isOwnTool } from './request-schema.ts';

/** Fields that core supports. Their unsupported members are found below. */
const known = new Set([...Object.keys(countTokensSchema.shape), 'output_format', 'cache_control']);

/**
 * Fields that control how an answer is generated, priced, stored or reported, not its content. They are left out for a
 * provider of another format. So are fields of tools (`defer_loading`, `eager_input_streaming`, `input_examples`,
 * `allowed_callers`) and unknown fields of blocks. A deferred tool is then sent at once, which only costs tokens.
 */
const hints = wordSet(`
  betas compaction context_management diagnostics fallback_credit_token fallbacks service_tier speed user_profile_id
  workspace_id
`);

/** The budget of a task is only advice to the model, so it is left out. */
const outputFields = new Set(['effort', 'format', 'task_budget']);

const efforts: ReadonlySet<unknown> = new Set(['low', 'medium', 'high', 'xhigh', 'max']);
const thinkingTypes: ReadonlySet<unknown> = new Set(['enabled', 'disabled', 'adaptive']);
const choiceTypes: ReadonlySet<unknown> = new Set(['auto', 'any', 'tool', 'none']);

/** The paths of the fields of a messages body that no other format supports. */
export function* unsupportedInMessages(body: WireObject): Generator<FieldPath> {
  yield* fieldsOutside(body, [known, hints]);
  // A request for zero tokens only fills the provider's cache.
  if (body.max_tokens === 0) yield ['max_tokens'];
  for (const [at, tool] of objectEntries(body.tools)) if (!isOwnTool(tool)) yield ['tools', at];
  yield* typeOutside(body, 'tool_choice', choiceTypes);
  yield* typeOutside(body, 'thinking', thinkingTypes);
  yield* inOutputConfig(body);
  for (const [at, { role, content }] of objectEntries(body.messages)) {
    yield* inBlocks(String(role), content, ['messages', at]);
  }
}

function* typeOutside(body: WireObject, name: string, types: ReadonlySet<unknown>): Generator<FieldPath> {
  const value = objectOf(body[name]);
  if (value && !types.has(value.type)) yield [name, 'type'];
}

function* inOutputConfig(body: WireObject): Generator<FieldPath> {
  const config = objectOf(body.output_config) ?? {};
  for (const [name] of fieldsOutside(config, [outputFields])) yield ['output_config', String(name)];
  if (typeof config.effort === 'string' && !efforts.has(config.effort)) yield ['output_config', 'effort'];
  yield* inFormat(config.format, ['output_config', 'format']);
  yield* inFormat(body.output_format, ['output_format']);
}

function* inFormat(format: unknown, path: FieldPath): Generator<FieldPath> {
  if (format === null || format === undefined) return;
  const isKnown = isObject(format) && format.type === 'json_schema' && isObject(format.schema);
  if (!isKnown) yield path;
}

/** The blocks that core supports, by the role or block that contains them. */
const supported: Readonly<Record<string, readonly unknown[]>> = {
  user: ['text', 'image', 'document', 'tool_result'],
  tool_result: ['text', 'image', 'document', 'tool_reference'],
  assistant: ['text', 'thinking', 'redacted_thinking', 'tool_use'],
  system: ['text'],
};

function* inBlocks(container: string, content: unknown, path: FieldPath): Generator<FieldPath> {
  for (const [at, block] of objectEntries(content)) yield* inBlock(container, block, [...path, 'content', at]);
}

/** The paths in a block that core does not support, or the path of the block if no other format has it. */
function* inBlock(container: string, block: WireObject, path: FieldPath): Generator<FieldPath> {
  if (!supported[container]?.includes(block.type)) yield path;
  else if (block.type === 'tool_result') yield* inBlocks('tool_result', block.content, path);
  else if (block.type === 'image' || block.type === 'document') yield* inMedia(block, path);
}

function* inMedia(block: WireObject, path: FieldPath): Generator<FieldPath> {
  const source = objectOf(block.source) ?? {};
  yield* inSource(source, block.type === 'document', [...path, 'source']);
  // The answer would contain citations, which no other format supports.
  if (objectOf(block.citations)?.enabled === true) yield [...path, 'citations'];
  if (nonEmptyString(block.context) !== undefined) yield [...path, 'context'];
}

function* inSource(source: WireObject, isDocument: boolean, path: FieldPath): Generator<FieldPath> {
  if (isDocument && source.type === 'content') yield* inContentSource(source, path);
  else if (!isCompleteSource(source, isDocument)) yield path;
}

function isCompleteSource(source: WireObject, isDocument: boolean): boolean {
  switch (source.type) {
    case 'base64':
      return typeof source.media_type === 'string' && typeof source.data === 'string';
    case 'url':
      return typeof source.url === 'string';
    case 'text':
      return isDocument && typeof source.data === 'string';
    default:
      return false;
  }
}

function* inContentSource(source: WireObject, path: FieldPath): Generator<FieldPath> {
  for (const [at, block] of listOf(source.content).entries()) {
    const isText = isObject(block) && block.type === 'text' && typeof block.text === 'string';
    if (!isText) yield [...path, 'content', at];
  }
}
