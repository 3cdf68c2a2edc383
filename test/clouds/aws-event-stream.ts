import { crc32 } from 'node:zlib';

/** A frame of the binary AWS event stream around one event of the messages format. */
export function awsChunk(event: unknown): Buffer {
  const bytes = Buffer.from(JSON.stringify(event)).toString('base64');
  return awsFrame({ ':event-type': 'chunk', ':message-type': 'event' }, { bytes, p: 'abcdef' });
}

/** An exception frame, for a failure in the middle of a stream. */
export function awsException(type: string, payload: unknown): Buffer {
  return awsFrame({ ':exception-type': type, ':message-type': 'exception' }, payload);
}

/** Lengths and checksums around headers and a payload. */
export function awsFrame(headers: Readonly<Record<string, string>>, payload: unknown): Buffer {
  const all = { ':content-type': 'application/json', ...headers };
  const head = Buffer.concat([...Object.entries(all).map(([name, value]) => header(name, value)), flag]);
  const body = Buffer.from(JSON.stringify(payload));
  const prelude = uint32(16 + head.length + body.length, head.length);
  const checked = Buffer.concat([prelude, uint32(crc32(prelude)), head, body]);
  return Buffer.concat([checked, uint32(crc32(checked))]);
}

/** A header whose value is not text. */
const flag = Buffer.concat([Buffer.of(4), Buffer.from('flag'), Buffer.of(0)]);

function header(name: string, value: string): Buffer {
  const size = Buffer.alloc(2);
  size.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([Buffer.of(name.length), Buffer.from(name), Buffer.of(7), size, Buffer.from(value)]);
}

function uint32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, index) => bytes.writeUInt32BE(value >>> 0, 4 * index));
  return bytes;
}
