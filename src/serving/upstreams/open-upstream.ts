import type { UpstreamSpec } from '../../platform/config/schema/upstream.ts';
import { cloudUpstream } from './clouds/cloud-upstream.ts';
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
  const resolved = resolveUpstream(spec);
  if (resolved.wireFormat === 'by-model') return cloudUpstream(resolved, spec.kind, deps);
  return resolved.wireFormat === 'messages' ? messagesCompatible(resolved, deps) : new OpenAiCompatible(resolved, deps);
}
