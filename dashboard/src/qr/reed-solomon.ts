const size = 256;
const exponents = new Uint8Array(size * 2);
const logarithms = new Uint8Array(size);

// Powers of two in the field of 256 elements that QR codes use (x⁸ + x⁴ + x³ + x² + 1).
for (let power = 0, value = 1; power < size - 1; power++) {
  exponents[power] = value;
  exponents[power + size - 1] = value;
  logarithms[value] = power;
  value = value << 1 >= size ? (value << 1) ^ 0x11d : value << 1;
}

/** The codewords from which a reader repairs unreadable modules. */
export function correction(data: readonly number[], count: number): number[] {
  const generator = generatorOf(count);
  const remainder = Array.from({ length: count }, () => 0);
  for (const codeword of data) {
    const factor = codeword ^ (remainder.shift() ?? 0);
    remainder.push(0);
    for (let index = 0; index < count; index++) {
      remainder[index] = (remainder[index] ?? 0) ^ multiply(generator[index] ?? 0, factor);
    }
  }
  return remainder;
}

/** The coefficients of (x − 1)(x − 2)(x − 4)…, highest first, without the leading one. */
function generatorOf(count: number): readonly number[] {
  const result = Array.from({ length: count }, (_, index): number => (index === count - 1 ? 1 : 0));
  for (let degree = 0; degree < count; degree++) {
    const root = exponents[degree] ?? 0;
    for (let index = 0; index < count; index++) {
      result[index] = multiply(result[index] ?? 0, root) ^ (result[index + 1] ?? 0);
    }
  }
  return result;
}

function multiply(a: number, b: number): number {
  return a === 0 || b === 0 ? 0 : (exponents[(logarithms[a] ?? 0) + (logarithms[b] ?? 0)] ?? 0);
}
