import type { Command } from 'commander';
import { catalogPrice, type KnownTier, knownCurrency, knownPrice } from '../../money/catalog/known-prices.ts';
import { modelBatchEndpoint } from '../../manage/admin/catalog/model-batches.ts';
import { withAdmin } from '../admin-call.ts';
import { answer, CliError } from '../terminal/output.ts';
import { followNote } from '../terminal/notes.ts';
import { readResources, rowDocument } from './resource-commands.ts';

/** `models add-known`: adds several models of an upstream at the prices in the table that comes with the gateway. */
export function registerAddModels(noun: Command): void {
  noun
    .command('add-known')
    .argument('<upstream>', 'upstream that serves the models')
    .argument('<models...>', 'model names at the provider; each gets the same id in the catalog')
    .description(
      `Add several models, all or none, at prices (${knownCurrency}) from a table that comes with the gateway. Check the prices: they change.`,
    )
    .action(addKnown);
}

async function addKnown(upstream: string, models: readonly string[], _options: unknown, command: Command) {
  const unknown = models.filter((model) => !knownPrice(model));
  if (unknown.length > 0) {
    throw new CliError('price_unknown', { models: unknown.join(', ') });
  }
  const specs = models.map((model) => specOf(upstream, model));
  await withAdmin(command, async (call, store) => {
    await call([modelBatchEndpoint], 'addModels', { body: { models: specs } });
    const added = new Set(models);
    const rows = (await readResources(store).list('model')).filter(({ name }) => added.has(name));
    const lines = models.map((model) => {
      const known = knownPrice(model);
      const tiers = known?.tiers?.map(tierText).join('') ?? '';
      return `${model}: ${known?.input} in, ${known?.output} out per million tokens${tiers}, as of ${known?.as_of}`;
    });
    answer(command, { json: rows.map(rowDocument), text: () => [...lines, '', followNote].join('\n') });
  });
}

function tierText({ when, input, output }: KnownTier): string {
  return ` (${input} in, ${output} out for prompts of more than ${when.prompt_over} tokens)`;
}

function specOf(upstream: string, model: string): Record<string, unknown> {
  const known = knownPrice(model);
  return {
    id: model,
    routes: [{ upstream, model }],
    ...(known && { price: catalogPrice(known) }),
    ...(known?.context_window !== undefined && { context_window: known.context_window }),
    ...(known?.max_output_tokens !== undefined && { max_output_tokens: known.max_output_tokens }),
  };
}
