import type { Values } from '../values.ts';
import { type CredentialParts, plainSetting } from './opened.ts';

/** Names of providers in LiteLLM, and the kind of upstream for each. */
const kinds: Readonly<Record<string, string>> = {
  openai: 'openai',
  text_completion_openai: 'openai',
  'text-completion-openai': 'openai',
  custom_openai: 'openai',
  openai_like: 'openai',
  litellm_proxy: 'openai',
  azure: 'azure',
  azure_text: 'azure',
  anthropic: 'anthropic',
  bedrock: 'bedrock',
  bedrock_converse: 'bedrock',
  vertex_ai: 'vertex',
  vertex_ai_beta: 'vertex',
  gemini: 'google',
  mistral: 'mistral',
  cohere: 'cohere',
  cohere_chat: 'cohere',
  deepseek: 'deepseek',
  groq: 'groq',
  together_ai: 'together',
  fireworks_ai: 'fireworks',
  openrouter: 'openrouter',
  xai: 'xai',
  perplexity: 'perplexity',
  cerebras: 'cerebras',
  nvidia_nim: 'nvidia',
  deepinfra: 'deepinfra',
  moonshot: 'moonshot',
  zai: 'zai',
  minimax: 'minimax',
  dashscope: 'qwen-intl',
  siliconflow: 'siliconflow-intl',
  ollama: 'ollama',
  ollama_chat: 'ollama',
  lm_studio: 'lmstudio',
  hosted_vllm: 'vllm',
  vllm: 'vllm',
};

/** Models that LiteLLM finds a provider for by their name alone. */
const knownNames: readonly (readonly [RegExp, provider: string])[] = [
  [/^(gpt-|chatgpt-|o\d|text-embedding-|dall-e|tts-|whisper-|omni-moderation)/, 'openai'],
  [/^claude-/, 'anthropic'],
  [/^gemini-/, 'vertex_ai'],
  [/^(command-|embed-|rerank-)/, 'cohere'],
  [/^(mistral-|open-mi|codestral-)/, 'mistral'],
  [/^deepseek-/, 'deepseek'],
];

/** Parts of a model name that choose an API of the provider. */
const apiParts = /^(converse|converse_like|invoke|responses|chat|completion|beta)\//;

export interface ProviderModel {
  /** The name in LiteLLM. */
  readonly provider: string;
  /** `undefined`: no kind of upstream is known for it. */
  readonly kind: string | undefined;
  /** The provider's name of the model. */
  readonly model: string;
}

/** Splits `provider/model`, as LiteLLM does. */
export function providerModel(name: string, { custom_llm_provider: custom, ...params }: Values): ProviderModel {
  const [prefix = '', ...rest] = name.split('/');
  const own = typeof custom === 'string' && custom !== '' ? custom : undefined;
  if (own !== undefined) {
    const model = prefix === own && rest.length > 0 ? rest.join('/') : name;
    return { provider: own, kind: kindOf(own), model: model.replace(apiParts, '') };
  }
  if (rest.length > 0 && (kindOf(prefix) !== undefined || params['api_base'] === undefined))
    return { provider: prefix, kind: kindOf(prefix), model: rest.join('/').replace(apiParts, '') };
  const provider = knownNames.find(([form]) => form.test(name))?.[1] ?? 'openai';
  return { provider, kind: kindOf(provider), model: name };
}

function kindOf(provider: string): string | undefined {
  return Object.hasOwn(kinds, provider) ? kinds[provider] : undefined;
}

/** The address of the provider in the form of the kind. LiteLLM appends a part of the path for some. */
export function baseUrlOf(kind: string, params: Values, parts: CredentialParts): string | undefined {
  const given = plainSetting(params['api_base'] ?? params['base_url'], parts);
  if (given === undefined || given.startsWith('${') || !URL.canParse(given)) return undefined;
  const plain = given.replace(/\/+$/, '');
  const hasPath = new URL(plain).pathname !== '/';
  if ((kind === 'anthropic' || kind === 'ollama') && !hasPath) return `${plain}/v1`;
  if (kind === 'azure') return `${plain.replace(/\/openai(\/.*)?$/, '')}/openai/v1`;
  return plain;
}
