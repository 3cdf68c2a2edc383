import { randomBytes } from 'node:crypto';
import type { SpanContext } from '@opentelemetry/api';
import type { CallTrace } from '../../../core/request-trace.ts';
import { traceHeaders } from './trace-parent.ts';

/** Longer ids are truncated: they are useless for a search. */
const idCharactersMax = 256;

/** A call within a traced request. Its span comes after the request; its span id when the headers are read. */
export class TracedCall implements CallTrace {
  readonly #request: SpanContext;
  /** The span id sent to the provider, or `undefined` if none was sent. */
  spanId: string | undefined;
  responseId: string | undefined;

  constructor(request: SpanContext) {
    this.#request = request;
  }

  readonly answeredAs = (id: string): void => {
    if (id !== '') this.responseId ??= id.slice(0, idCharactersMax);
  };

  get headers(): Readonly<Record<string, string>> {
    const spanId = (this.spanId ??= randomBytes(8).toString('hex'));
    return traceHeaders({ ...this.#request, spanId });
  }
}
