import type { ChatRequest } from 'chat-formats/chat/chat-request.ts';
import { GatewayError } from 'chat-formats/gateway-error.ts';
import type { Model } from 'chat-formats/chat/model.ts';
import { levelFields, levelNames, type Price, type ServiceLevel } from 'chat-formats/price.ts';

/**
 * Keeps the options that the model has a price for. The others are not forwarded, or the request is refused, as the
 * model is configured.
 */
export function fitPriceOptions(model: Model, request: ChatRequest): ChatRequest {
  const { priceOptions } = request;
  if (!priceOptions) return request;
  const level = pricedLevel(model.price, priceOptions.requested);
  const fields = priceOptions.fields.filter((field) => !isForwarded(field, level));
  if (model.pricedFields === 'refuse' && fields.length > 0) throw unpriced(model, fields);
  return { ...request, priceOptions: { ...priceOptions, level, fields } };
}

/** The parts of a level that a tier of the price names. */
function pricedLevel({ tiers }: Price, level: ServiceLevel): ServiceLevel {
  const named = (field: keyof ServiceLevel): string | undefined =>
    tiers.some(({ when }) => when[field] === level[field]) ? level[field] : undefined;
  return { serviceTier: named('serviceTier'), speed: named('speed'), region: named('region') };
}

/** The beta of a speed is forwarded with the speed. */
function isForwarded(field: string, level: ServiceLevel): boolean {
  if (field.startsWith('anthropic-beta:')) return level.speed !== undefined;
  return levelFields.some((name) => levelNames[name] === field && level[name] !== undefined);
}

function unpriced({ id }: Model, fields: readonly string[]): GatewayError {
  const names = fields.slice(0, shownMax).join(', ');
  return new GatewayError('invalid-request', {
    detail: `${names} changes the price, and ${id} has no price for this value: leave it out, or ask the operator to add it to the model's \`price.tiers\``,
  });
}

/** More names do not help to correct a request. */
const shownMax = 3;
