import { azure } from './azure.ts';
import { bedrock } from './bedrock.ts';
import type { BridgeKind } from './bridge-kind.ts';
import { cohere } from './cohere.ts';
import { google, vertex } from './gemini.ts';
import { mistral } from './mistral.ts';

/** Providers with their own protocol, each reached through the package that implements it. */
const bridgeKinds: Readonly<Record<string, BridgeKind>> = { bedrock, google, vertex, azure, cohere, mistral };

export function bridgeKind(kind: string): BridgeKind | undefined {
  return Object.hasOwn(bridgeKinds, kind) ? bridgeKinds[kind] : undefined;
}
