/** Decodes UTF-8 in pieces. A character split by a read is joined; invalid bytes become U+FFFD. */
export interface Utf8Reader {
  push(bytes: Buffer): string;
  /** The replacement for an incomplete last character; empty if there is none. */
  end(): string;
}

const nothing = Buffer.alloc(0);

export function utf8Reader(): Utf8Reader {
  let held = nothing;
  return {
    push(bytes) {
      const whole = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      const cut = whole.length - unfinishedBytes(whole);
      // A copy, because the socket reuses its buffer.
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

/** A first byte always begins a new character, so a cut just before one does not change how the other bytes decode. */
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

/** The UTF-8 bytes of a text as a Latin-1 string: one character for each byte. */
export function byteText(text: string): string {
  return isBeyondAscii(text) ? Buffer.from(text).toString('latin1') : text;
}

export function isBeyondAscii(text: string): boolean {
  return beyondAscii.test(text);
}

const beyondAscii = /[\u0080-\uffff]/;
