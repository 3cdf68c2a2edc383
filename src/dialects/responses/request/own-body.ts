import type { ChatRequest } from '../../../core/chat/chat-request.ts';
import { levelMembers, withoutPricedFields } from '../../priced-fields.ts';
import type { RequestEncoding } from '../../translate.ts';
import { isObject, listOf, type WireObject, nonEmptyString } from '../../wire-value.ts';
import { encodeInput } from './encode-input.ts';
import { fieldName } from '../../invalid-request.ts';
import { defaultMaxUses } from './provider-tools.ts';
import { isSealedHere } from '../answer/reasoning-item.ts';

/** Whether a provider of the same format can get the client's body: not with a summary sealed by this gateway. */
export function isPassedOn({ wire }: ChatRequest): boolean {
  if (wire.format !== 'responses') return false;
  return !listOf(wire.body['input']).some(
    (item) => isObject(item) && item.type !== 'reasoning' && isSealedByGateway(item),
  );
}

type OwnBodyEncoding = Pick<RequestEncoding, 'model' | 'maxTokens'> & { readonly cacheKey?: string | undefined };

/**
 * Returns the client's body with its fields in their order, including unknown fields. The gateway stores responses, so
 * the provider stores nothing and receives complete conversations. Tools and features without a price, and reasoning
 * that the provider could not open, are removed.
 */
export function ownBody(request: ChatRequest, { model, maxTokens, cacheKey }: OwnBodyEncoding): WireObject {
  const { wire, providerTools, further = [] } = request;
  const level = Object.fromEntries(levelMembers(request));
  const body: Record<string, unknown> = { ...withoutPricedFields(wire.body), ...level, model, store: false };
  for (const name of gatewayFields) delete body[name];
  if (maxTokens !== undefined) body['max_output_tokens'] = maxTokens;
  if (cacheKey !== undefined) body['prompt_cache_key'] ??= cacheKey;
  const input = wire.body['input'];
  if (Array.isArray(input)) body['input'] = input.filter((item) => !isObject(item) || !isSealedByGateway(item));
  if (further.length > 0) body['input'] = [...itemsOf(body['input']), ...encodeInput(further).input];
  if (Array.isArray(wire.body['tools'])) {
    const pricedFields = new Set(providerTools.map(({ field }) => field));
    const isAllowed = (tool: unknown, at: number): boolean =>
      isRunByClients(tool) || pricedFields.has(fieldName(['tools', at]));
    body['tools'] = listOf(wire.body['tools']).filter(isAllowed);
    // The hold covers this number of uses.
    if (pricedFields.size > 0) body['max_tool_calls'] ??= defaultMaxUses;
  }
  // The next request can continue only from sealed reasoning.
  if (wire.body['store'] !== false)
    body['include'] = [...new Set([...listOf(wire.body['include']), encryptedReasoning])];
  return body;
}

/** A string as input is a user message. */
function itemsOf(input: unknown): readonly unknown[] {
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : listOf(input);
}

const encryptedReasoning = 'reasoning.encrypted_content';

/** Fields that refer to data stored by the gateway, or to the client itself. */
const gatewayFields = ['previous_response_id', 'client_metadata', 'background', 'conversation'];

function isSealedByGateway(item: WireObject): boolean {
  const content = nonEmptyString(item.encrypted_content);
  return content !== undefined && isSealedHere(content);
}

function isRunByClients(tool: unknown): boolean {
  if (!isObject(tool)) return false;
  return runByClients.has(tool.type) || (tool.type === 'tool_search' && tool.execution === 'client');
}

const runByClients: ReadonlySet<unknown> = new Set(['function', 'custom', 'namespace']);
