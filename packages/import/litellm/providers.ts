import { azureAddress, kindNames } from '../planned-upstream.ts';
import type { Values } from '../values.ts';
import { type CredentialParts, plainSetting } from './opened.ts';

/** Names of providers in LiteLLM, and the kind of upstream for each. */
const kinds = kindNames(
  'openai azure anthropic bedrock mistral cohere deepseek groq openrouter xai perplexity cerebras deepinfra moonshot zai minimax ollama vllm',
  {
    text_completion_openai: 'openai',
    'text-completion-openai': 'openai',
    custom_openai: 'openai',
    openai_like: 'openai',
    litellm_proxy: 'openai',
    azure_text: 'azure',
    bedrock_converse: 'bedrock',
    vertex_ai: 'vertex',
    vertex_ai_beta: 'vertex',
    gemini: 'google',
    cohere_chat: 'cohere',
    together_ai: 'together',
    fireworks_ai: 'fireworks',
    nvidia_nim: 'nvidia',
    dashscope: 'qwen-intl',
    siliconflow: 'siliconflow-intl',
    ollama_chat: 'ollama',
    lm_studio: 'lmstudio',
    hosted_vllm: 'vllm',
  },
);

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
    return { provider: own, kind: kinds.get(own), model: model.replace(apiParts, '') };
  }
  if (rest.length > 0 && (kinds.has(prefix) || params['api_base'] === undefined))
    return { provider: prefix, kind: kinds.get(prefix), model: rest.join('/').replace(apiParts, '') };
  const provider = knownNames.find(([form]) => form.test(name))?.[1] ?? 'openai';
  return { provider, kind: kinds.get(provider), model: name };
}

/** The address of the provider in the form of the kind. LiteLLM appends a part of the path for some. */
export function baseUrlOf(kind: string, params: Values, parts: CredentialParts): string | undefined {
  const given = plainSetting(params['api_base'] ?? params['base_url'], parts);
  if (given === undefined || given.startsWith('${') || !URL.canParse(given)) return undefined;
  const plain = given.replace(/\/+$/, '');
  const hasPath = new URL(plain).pathname !== '/';
  if ((kind === 'anthropic' || kind === 'ollama') && !hasPath) return `${plain}/v1`;
  if (kind === 'azure') return azureAddress(plain);
  return plain;
}
