import { TransportFault } from './transport-fault.ts';

type Framing = 'length' | 'chunked' | 'until-close';

/** Status and headers of one response, validated so that the end of its body is unambiguous. */
export class ResponseHead {
  readonly status: number;
  readonly framing: Framing;
  /** The length of the body if the framing is `length`. */
  readonly contentLength: number;
  /** Whether the connection can be used for another exchange after this one. */
  readonly keepsAlive: boolean;
  readonly #fields: readonly string[];

  constructor(status: number, isHttp10: boolean, fields: readonly string[]) {
    this.status = status;
    this.#fields = fields;
    const encoding = this.header('transfer-encoding');
    const length = contentLength(this.header('content-length'));
    if (encoding !== undefined && (encoding.toLowerCase() !== 'chunked' || length !== undefined || isHttp10)) {
      throw new TransportFault('malformed', 'the response frames its body in an unsupported or ambiguous way');
    }
    const coding = this.header('content-encoding')?.toLowerCase() ?? 'identity';
    if (coding !== 'identity')
      throw new TransportFault('malformed', 'the response is compressed, which was not asked for');
    const isBodiless = status === 204 || status === 304;
    this.contentLength = isBodiless ? 0 : (length ?? 0);
    this.framing = isBodiless || length !== undefined ? 'length' : encoding === undefined ? 'until-close' : 'chunked';
    const connection = this.header('connection')?.toLowerCase() ?? '';
    this.keepsAlive = !isHttp10 && this.framing !== 'until-close' && !connection.includes('close');
  }

  /** Returns the value of a header by its lower-case name. Several lines with the same name are joined with commas. */
  header(name: string): string | undefined {
    let value: string | undefined;
    for (let index = 0; index < this.#fields.length; index += 2) {
      if (this.#fields[index] !== name) continue;
      const next = this.#fields[index + 1];
      value = value === undefined ? next : `${value}, ${next}`;
    }
    return value;
  }
}

/** Parses the text before the empty line. Throws for anything that is not strict HTTP/1. */
export function parseHead(text: string): ResponseHead {
  const lines = text.split('\r\n');
  const status = statusLine.exec(lines[0] ?? '');
  if (!status) throw new TransportFault('malformed', 'the response does not begin with an HTTP/1 status line');
  const fields: string[] = [];
  for (let index = 1; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon));
    if (!fieldName.test(name) || !fieldValue.test(line)) {
      throw new TransportFault('malformed', 'the response has a malformed header line');
    }
    fields.push(name.toLowerCase(), line.slice(colon + 1).trim());
  }
  return new ResponseHead(Number(status[2]), status[1] === '0', fields);
}

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const fieldName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Equal repetitions count once, as HTTP allows. With different values, two parties would disagree about the length. */
function contentLength(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const [first = '', ...others] = value.split(',').map((part) => part.trim());
  if (!/^\d{1,15}$/.test(first) || others.some((other) => other !== first)) {
    throw new TransportFault('malformed', 'the response has an invalid Content-Length');
  }
  return Number(first);
}
