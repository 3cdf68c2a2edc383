/** Kinds of upstreams that have a different name in the GenAI conventions. */
const names: Readonly<Record<string, string>> = {
  bedrock: 'aws.bedrock',
  azure: 'azure.ai.openai',
  google: 'gcp.gemini',
  'google-openai': 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
  mistral: 'mistral_ai',
  moonshot: 'moonshot_ai',
  'moonshot-cn': 'moonshot_ai',
  xai: 'x_ai',
};

/** Returns the name of the provider in the GenAI conventions, or the kind of the upstream if they have none. */
export function providerName(kind: string): string {
  return names[kind] ?? kind;
}
