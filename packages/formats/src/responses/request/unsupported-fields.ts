import { fieldsOutside, type FieldPath, fieldName } from '../../invalid-request.ts';
import { listOf, objectOf, type WireObject, nonEmptyString, wordSet, objectEntries } from '../../wire-value.ts';
import { declaredTools } from './declared-tools.ts';
import { decodePart, isItemSent } from './decode-item.ts';
import { decodeToolChoice } from './decode-tool-choice.ts';
import { responsesRequestSchema } from './request-schema.ts';

/** Fields that other formats can express, or that concern the response and not the answer. */
const known = new Set([
  ...Object.keys(responsesRequestSchema.shape),
  ...wordSet('user background stream_options truncation'),
]);

/** A longer text is a value and not a type, so it is not repeated. */
const typeShownMax = 64;

/** Content that only a provider of this format could read, or tools that only it could run: needed for the answer. */
export function* unsupportedInResponses(body: WireObject): Generator<FieldPath> {
  if (decodeToolChoice(body.tool_choice, declaredTools(body)).forced.size > 0) yield ['tool_choice'];
  for (const [at, item] of objectEntries(body.input)) {
    for (const name of ['content', 'output']) {
      for (const [index, part] of objectEntries(item[name])) {
        const isClosed = nonEmptyString(part.type)?.startsWith('input_') && decodePart(part) === undefined;
        if (isClosed) yield ['input', at, name, index];
      }
    }
  }
}

/** Fields, items and tools that are dropped for a provider of another format, which cannot express them. */
export function* leftOutOfResponses(body: WireObject): Generator<string> {
  for (const path of fieldsOutside(body, [known])) yield fieldName(path);
  if (nonEmptyString(objectOf(body.text)?.verbosity) !== undefined) yield 'text.verbosity';
  for (const { path, type } of declaredTools(body).leftOut) yield describeField(path, type);
  for (const [at, item] of objectEntries(body.input)) {
    if (!isItemSent(item)) yield describeField(['input', at], item.type);
  }
}

export function* logprobsInResponses(body: WireObject): Generator<string> {
  if (Number(body.top_logprobs ?? 0) > 0) yield 'top_logprobs';
  if (listOf(body.include).includes(tokenRecords)) yield `include (${tokenRecords})`;
}

const tokenRecords = 'message.output_text.logprobs';

function describeField(path: FieldPath, type: unknown): string {
  return `${fieldName(path)} (${typeof type === 'string' ? type.slice(0, typeShownMax) : 'unknown'})`;
}
