/** Kinds of upstreams that the GenAI conventions have another name for. */
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

/** The provider behind an upstream of a kind, in the words of the GenAI conventions where they have one. */
export function providerName(kind: string): string {
  return names[kind] ?? kind;
}
