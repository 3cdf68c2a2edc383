import type { KnownModel } from '../../api/wire.ts';
import { isPrice } from '../routes/price-problems.ts';

/** A model to add, with its prices as typed. */
export interface ChosenModel {
  readonly model: string;
  readonly input: string;
  readonly output: string;
  /** The entry in the gateway's price table, if its currency is that of the gateway. */
  readonly known: KnownModel | undefined;
}

/** A model with its known prices, if any. */
export function chosenModel(model: string, known: KnownModel | undefined, currency: string): ChosenModel {
  const usable = known?.currency === currency ? known : undefined;
  return { model, input: usable?.price['input'] ?? '', output: usable?.price['output'] ?? '', known: usable };
}

/** Whether both typed prices are valid. */
export function canBeAdded({ input, output }: ChosenModel): boolean {
  return isPrice(input) && isPrice(output);
}

/**
 * The catalog entry of a chosen model. The other prices of the table are kept only if the typed prices equal its
 * prices.
 */
export function entryOf({ model, input, output, known }: ChosenModel, upstream: string): Record<string, unknown> {
  const typed = { input: input.trim(), output: output.trim() };
  const isKnown = known?.price['input'] === typed.input && known.price['output'] === typed.output;
  return {
    id: model,
    routes: [{ upstream, model }],
    price: isKnown
      ? {
          ...known.price,
          ...(known.tiers.length > 0 && { tiers: known.tiers }),
          source: `table of chat-gateway, ${known.as_of}`,
        }
      : typed,
    ...(known && known.context_window !== null && { context_window: known.context_window }),
    ...(known && known.max_output_tokens !== null && { max_output_tokens: known.max_output_tokens }),
  };
}
