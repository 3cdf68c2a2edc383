import type { UpstreamSpec } from '../config/schema/upstream.ts';
import { aiSdkUpstream } from './ai-sdk/ai-sdk.ts';
import { bridgeKind } from './ai-sdk/kinds.ts';
import { messagesCompatible } from './adapters/messages-compatible.ts';
import type { LinkDeps } from './provider-link.ts';
import { OpenAiCompatible } from './adapters/openai-compatible.ts';
import { resolveUpstream } from './resolve-upstream.ts';
import { simulated } from './simulated/simulated.ts';
import type { Upstream } from './upstream.ts';

export interface UpstreamDeps extends LinkDeps {
  /** Milliseconds per token of simulated models. 8 if left out. */
  readonly simulatedTokenDelayMs?: number;
}

export function openUpstream(spec: UpstreamSpec, deps: UpstreamDeps): Upstream {
  if (spec.kind === 'simulated') {
    return simulated({ name: spec.name, newId: deps.newId, tokenDelayMs: deps.simulatedTokenDelayMs });
  }
  const kind = bridgeKind(spec.kind);
  if (kind) return aiSdkUpstream(spec, kind, deps);
  const resolved = resolveUpstream(spec);
  return resolved.wireFormat === 'messages' ? messagesCompatible(resolved, deps) : new OpenAiCompatible(resolved, deps);
}
