import { wordSet } from './wire-value.ts';

const sampling = `
  do_sample dry_allowed_length dry_base dry_multiplier dry_penalty_last_n dry_sequence_breakers dynatemp_exponent
  dynatemp_range early_stopping epsilon_cutoff eta_cutoff length_penalty min_keep min_p mirostat mirostat_eta
  mirostat_mode mirostat_tau no_repeat_ngram_size penalize_nl penalty_alpha random_seed repeat_last_n repeat_penalty
  repetition_penalty repetition_penalty_range samplers sampler_order seed smoothing_curve smoothing_factor
  temperature_last tfs tfs_z top_a top_n_sigma typical typical_p xtc_probability xtc_threshold
`;

/** Length of the answer and its reasoning. */
const lengths = `
  chat_template_kwargs enable_thinking include_reasoning min_tokens reasoning_budget reasoning_format
  reasoning_split separate_reasoning stream_reasoning thinking_budget verbosity
`;

/** How and by which server the answer is generated. */
const serving = `
  add_generation_prompt cache_prompt cache_salt id_slot ignore_eos keep_alive kv_transfer_params models n_keep
  num_ctx prediction priority prompt_cache_options provider request_id return_progress return_token_ids
  return_tokens return_tokens_as_token_ids route session_id skip_special_tokens slot_id
  spaces_between_special_tokens t_max_predict_ms timings_per_token trace transforms vllm_xargs
`;

/** Fields of specific servers that do not change the question. Left out for a format that lacks them. */
export const samplingHints = wordSet(sampling + lengths + serving);
