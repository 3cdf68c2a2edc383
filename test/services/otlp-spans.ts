/** A span as received. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceState: string;
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: number;
  readonly startNs: string;
  readonly endNs: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly isError: boolean;
  readonly service: unknown;
}

/** The spans of an `ExportTraceServiceRequest`, by the field numbers of opentelemetry-proto. */
export function spansIn(body: Buffer): readonly ReceivedSpan[] {
  return fields(body, 1).flatMap((resourceSpans) => {
    const service = fields(resourceSpans, 1).map((resource) => attributesIn(resource, 1)['service.name'])[0];
    const scopes = fields(resourceSpans, 2);
    return scopes.flatMap((scope) => fields(scope, 2).map((span) => ({ ...spanIn(span), service })));
  });
}

function spanIn(span: Buffer): Omit<ReceivedSpan, 'service'> {
  const text = (number: number) => fields(span, number)[0]?.toString() ?? '';
  const hex = (number: number) => fields(span, number)[0]?.toString('hex') ?? '';
  const [status = Buffer.alloc(0)] = fields(span, 15);
  return {
    traceId: hex(1),
    spanId: hex(2),
    traceState: text(3),
    parentSpanId: hex(4),
    name: text(5),
    kind: Number(numbers(span, 6)[0] ?? 0n),
    startNs: String(numbers(span, 7)[0]),
    endNs: String(numbers(span, 8)[0]),
    attributes: attributesIn(span, 9),
    isError: numbers(status, 3)[0] === 2n,
  };
}

function attributesIn(message: Buffer, number: number): Record<string, unknown> {
  const pairs = fields(message, number).map((pair) => [
    fields(pair, 1)[0]?.toString() ?? '',
    valueIn(fields(pair, 2)[0] ?? Buffer.alloc(0)),
  ]);
  return Object.fromEntries(pairs);
}

function valueIn(value: Buffer): unknown {
  const [text] = fields(value, 1);
  const [list] = fields(value, 5);
  if (text) return text.toString();
  if (list) return fields(list, 1).map(valueIn);
  const [truth] = numbers(value, 2);
  return truth === undefined ? Number(numbers(value, 3)[0]) : truth === 1n;
}

type Field = readonly [number: number, value: Buffer | bigint];

function fields(message: Buffer, number: number): readonly Buffer[] {
  return all(message).flatMap(([found, value]) => (found === number && typeof value !== 'bigint' ? [value] : []));
}

function numbers(message: Buffer, number: number): readonly bigint[] {
  return all(message).flatMap(([found, value]) => (found === number && typeof value === 'bigint' ? [value] : []));
}

/** Parses a protocol buffer: a list of numbered fields, each a number or a byte string. */
function all(message: Buffer): readonly Field[] {
  const found: Field[] = [];
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const [number, wire] = [Number(tag >> 3n), Number(tag & 7n)];
    if (wire === 0) found.push([number, varint()]);
    else if (wire === 1) found.push([number, message.readBigUInt64LE((at += 8) - 8)]);
    else if (wire === 5) found.push([number, BigInt(message.readUInt32LE((at += 4) - 4))]);
    else {
      const length = Number(varint());
      found.push([number, message.subarray(at, (at += length))]);
    }
  }
  return found;
}
