/** Bytes in, text out: characters cut in two by a read are joined, bytes that are not UTF-8 become U+FFFD. */
export interface Utf8Reader {
  push(bytes: Buffer): string;
  /** What an unfinished last character amounts to; empty when there is none. */
  end(): string;
}

const nothing = Buffer.alloc(0);

export function utf8Reader(): Utf8Reader {
  let held = nothing;
  return {
    push(bytes) {
      const whole = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      const cut = whole.length - unfinishedBytes(whole);
      // A copy, because the bytes belong to a socket's buffer that will be used again.
      held = cut === whole.length ? nothing : Buffer.from(whole.subarray(cut));
      return whole.toString('utf8', 0, cut);
    },
    end() {
      const rest = held.toString('utf8');
      held = nothing;
      return rest;
    },
  };
}

/** A first byte always begins a new character, so cutting just before one never changes how the rest is read. */
function unfinishedBytes(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < characterBytes(byte) ? back : 0;
  }
  return 0;
}

function characterBytes(firstByte: number): number {
  if (firstByte >= 0xf0) return 4;
  return firstByte >= 0xe0 ? 3 : 2;
}

/** Text as the bytes of its UTF-8, one character for each. */
export function byteText(text: string): string {
  return isBeyondAscii(text) ? Buffer.from(text).toString('latin1') : text;
}

export function isBeyondAscii(text: string): boolean {
  return beyondAscii.test(text);
}

const beyondAscii = /[\u0080-\uffff]/;
