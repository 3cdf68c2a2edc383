import type { FindingTexts } from '../finding-text.ts';

/** Findings of Bifrost only. */
export const bifrostFindings = {
  decision: {
    file_not_read:
      '{name} is not read: only the database is. Bifrost copies its file into the database when it starts.',
    increase_not_taken:
      'The limit is raised by {amount} for some periods. The increase is not taken. Raise the limit here, if it is needed.',
    models_unknown:
      'The source names no model of the provider {provider}. Add its models with `chat-gateway models add`.',
    shared_model_left_out:
      'The virtual key {name} may use {model} only at {providers}. Here it must name the provider: PROVIDER/{model}.',
    unknown_values:
      '{rows} rows have a value in {name}, which a newer version of Bifrost has added. Keys that it may limit are created revoked.',
  },
  lost: {
    key_value_missing:
      'The virtual key {name} has neither a readable value nor a hash. It is left out. Pass --salt-key-env with the encryption key.',
  },
  guessed: {
    model_of_providers:
      'Several providers serve {model}: {providers}. Requests that name no provider go to any of them, at the price of the first.',
    window_moved:
      'The budget renews {duration} after its last renewal. Here it renews with the calendar {period}, in UTC.',
  },
  info: {
    key_without_models: 'The virtual key {name} allows no provider. It is created revoked.',
  },
} as const satisfies FindingTexts;
