import type { KnownModel } from '../../api/wire.ts';
import { isPrice } from '../routes/model-values.ts';

/** A model that is to be added, with its prices as they are typed. */
export interface ChosenModel {
  readonly model: string;
  readonly input: string;
  readonly output: string;
  /** What the table of the gateway says of it, where its currency is that of the gateway. */
  readonly known: KnownModel | undefined;
}

/** A model with the prices that are known of it, or none. */
export function chosenModel(model: string, known: KnownModel | undefined, currency: string): ChosenModel {
  const usable = known?.currency === currency ? known : undefined;
  return { model, input: usable?.price['input'] ?? '', output: usable?.price['output'] ?? '', known: usable };
}

/** Whether both of its prices can be sent as they are typed. */
export function canBeAdded({ input, output }: ChosenModel): boolean {
  return isPrice(input) && isPrice(output);
}

/** The catalog entry of a chosen model. What the table knows beside the prices is kept only while the prices are its. */
export function entryOf({ model, input, output, known }: ChosenModel, upstream: string): Record<string, unknown> {
  const typed = { input: input.trim(), output: output.trim() };
  const isKnown = known?.price['input'] === typed.input && known.price['output'] === typed.output;
  return {
    id: model,
    routes: [{ upstream, model }],
    price: isKnown ? known.price : typed,
    ...(known && known.context_window !== null && { context_window: known.context_window }),
    ...(known && known.max_output_tokens !== null && { max_output_tokens: known.max_output_tokens }),
  };
}
