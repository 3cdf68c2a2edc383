import { randomBytes } from 'node:crypto';
import type { SpanContext } from '@opentelemetry/api';
import type { CallTrace } from '../core/request-trace.ts';
import { traceHeaders } from './trace-parent.ts';

/** A longer id is not one that anybody could look for. */
const idCharactersMax = 256;

/** A call of a provider within a traced request. Its span is made when all is over; its id, as soon as somebody is told of it. */
export class TracedCall implements CallTrace {
  readonly #request: SpanContext;
  #spanId: string | undefined;
  #responseId: string | undefined;

  constructor(request: SpanContext) {
    this.#request = request;
  }

  /** The id that the provider was told; nothing where it was not. */
  get spanId(): string | undefined {
    return this.#spanId;
  }

  /** The id that the provider gave its answer, if it gave one. */
  get responseId(): string | undefined {
    return this.#responseId;
  }

  readonly answeredAs = (id: string): void => {
    if (id !== '') this.#responseId ??= id.slice(0, idCharactersMax);
  };

  get headers(): Readonly<Record<string, string>> {
    const spanId = (this.#spanId ??= randomBytes(8).toString('hex'));
    return traceHeaders({ ...this.#request, spanId });
  }
}
