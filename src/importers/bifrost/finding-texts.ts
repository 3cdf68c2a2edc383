import type { FindingTexts } from '../finding-text.ts';

/** Findings of Bifrost only. */
export const bifrostFindings = {
  file_not_read: {
    severity: 'decision',
    text: '{name} is not read: one database or one configuration file is imported, and the database goes first. Bifrost copies its file into the database when it starts. To import the file, name it alone.',
  },
  key_value_missing: {
    severity: 'lost',
    text: 'The virtual key {name} has neither a readable value nor a hash. It is left out. Pass --salt-key-env with the encryption key.',
  },
  key_without_models: {
    severity: 'info',
    text: 'The virtual key {name} allows no provider. It is created revoked.',
  },
  model_of_providers: {
    severity: 'guessed',
    text: 'Several providers serve {model}: {providers}. Requests that name no provider go to any of them, at the price of the first.',
  },
  models_unknown: {
    severity: 'decision',
    text: 'The source names no model of the provider {provider}. Add its models with `chat-gateway models add`.',
  },
  override_stays: {
    severity: 'decision',
    text: 'The limit is raised for {cycles} more periods. Here it stays raised. Lower it afterwards.',
  },
  shared_model_left_out: {
    severity: 'decision',
    text: 'The virtual key {name} may use {model} only at {providers}. Here it must name the provider: PROVIDER/{model}.',
  },
  window_moved: {
    severity: 'guessed',
    text: 'The budget renews {duration} after its last renewal. Here it renews with the calendar {period}, in UTC.',
  },
} as const satisfies FindingTexts;
