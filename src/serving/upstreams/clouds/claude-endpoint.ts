import { appendMember, withoutMembers } from 'chat-formats/json/json-splice.ts';
import { keyHeaders } from '../adapters/request-headers.ts';
import type { MessagesEndpoint } from '../adapters/messages-compatible.ts';
import { providerAddress } from '../provider-link.ts';
import type { ResolvedUpstream } from '../resolve-upstream.ts';
import { awsEventStreamReader, awsEventStreamType } from './aws-event-stream.ts';

/** Claude on Amazon Bedrock: the model is in the path, streams have binary frames, and betas are in the body. */
export function bedrockClaude(spec: ResolvedUpstream): MessagesEndpoint {
  return {
    address: (model, isStream) =>
      providerAddress(
        spec.baseUrl,
        `/model/${encodeURIComponent(model)}/${isStream ? 'invoke-with-response-stream' : 'invoke'}`,
      ),
    body(text, betas) {
      const bare = versioned(withoutMembers(text, new Set(['model', 'stream', version])), 'bedrock-2023-05-31');
      if (betas === undefined) return bare;
      const list = betas.split(',').map((beta) => beta.trim());
      return appendMember(withoutMembers(bare, new Set(['anthropic_beta'])), 'anthropic_beta', JSON.stringify(list));
    },
    keyHeaders: (key) => keyHeaders(spec, key),
    // The media type of the answer inside the frames.
    accept: 'application/json',
    framing: { contentType: awsEventStreamType, reader: awsEventStreamReader },
  };
}

/** Claude on Vertex AI: the model is in the path, except when tokens are counted. */
export function vertexClaude(spec: ResolvedUpstream): MessagesEndpoint {
  const models = '/publishers/anthropic/models';
  const without = (text: string, ...names: readonly string[]): string =>
    versioned(withoutMembers(text, new Set([version, ...names])), 'vertex-2023-10-16');
  return {
    address: (model, isStream) =>
      providerAddress(
        spec.baseUrl,
        // A version follows an `@`, which needs no encoding.
        `${models}/${encodeURIComponent(model).replaceAll('%40', '@')}:${isStream ? 'streamRawPredict' : 'rawPredict'}`,
      ),
    body: (text) => without(text, 'model'),
    counting: { address: providerAddress(spec.baseUrl, `${models}/count-tokens:rawPredict`), body: without },
    keyHeaders: (key) => keyHeaders(spec, key),
  };
}

const version = 'anthropic_version';

function versioned(text: string, value: string): string {
  return appendMember(text, version, JSON.stringify(value));
}
