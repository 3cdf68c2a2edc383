import type { PlainEndpoint, Unit } from './plain-endpoint.ts';

/** A body that goes to a provider as the client wrote it, but for the model's name. */
export interface PlainRequest {
  readonly endpoint: PlainEndpoint;
  /** Where it goes, below the provider's base address. */
  readonly path: string;
  /** The id or alias as the client wrote it. */
  readonly model: string;
  readonly userId: string | undefined;
  readonly contentType: string;
  /** Size of the body as it arrived. */
  readonly bytes: number;
  /** The body for a provider that has the model under this name. */
  encode(model: string): string | Buffer;
}

/** A provider's whole answer, which a client gets as it is. */
export interface PlainAnswer {
  readonly contentType: string;
  readonly body: Buffer;
}

/** What a plain call uses; what is not said of it nobody knows yet, or it does not count. */
export interface PlainUsage {
  readonly promptTokens?: number | undefined;
  readonly completionTokens?: number | undefined;
  readonly units: Readonly<Partial<Record<Unit, number>>>;
}
