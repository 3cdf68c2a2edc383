import { unitsText } from 'chat-gateway-figures/money.ts';
import { scaledDecimal } from '../decimal-text.ts';

/** Digits after the point of a ratio that are read. The products print floats, which have fewer. */
const placesRead = 24;

/** An exact fraction: ratios of the products are multiplied and divided without rounding. */
export class Ratio {
  readonly #numerator: bigint;
  readonly #denominator: bigint;

  constructor(numerator: bigint, denominator = 1n) {
    this.#numerator = numerator;
    this.#denominator = denominator;
  }

  /** Reads a decimal such as `1.25` or `5e-7`. `undefined` for any other text, and for a negative number. */
  static of(text: string | undefined): Ratio | undefined {
    const read = text === undefined ? undefined : scaledDecimal(text, placesRead);
    return read && read.value >= 0n ? new Ratio(read.value, 10n ** BigInt(placesRead)) : undefined;
  }

  get isZero(): boolean {
    return this.#numerator === 0n;
  }

  times(other: Ratio): Ratio {
    return new Ratio(this.#numerator * other.#numerator, this.#denominator * other.#denominator);
  }

  over(other: Ratio): Ratio {
    return new Ratio(this.#numerator * other.#denominator, this.#denominator * other.#numerator);
  }

  equals(other: Ratio): boolean {
    return this.#numerator * other.#denominator === other.#numerator * this.#denominator;
  }

  isMoreThan(other: Ratio): boolean {
    return this.#numerator * other.#denominator > other.#numerator * this.#denominator;
  }

  /** The smallest decimal with at most so many places that is not below it. */
  roundedUp(places: number): { readonly text: string; readonly isExact: boolean } {
    const scaled = this.#numerator * 10n ** BigInt(places);
    const value = (scaled + this.#denominator - 1n) / this.#denominator;
    return { text: unitsText(value, places), isExact: value * this.#denominator === scaled };
  }

  /** `amount × this`, rounded down. */
  ofAmount(amount: bigint): { readonly value: bigint; readonly isExact: boolean } {
    const product = amount * this.#numerator;
    const quotient = product / this.#denominator;
    const isExact = quotient * this.#denominator === product;
    return { value: isExact || product >= 0n ? quotient : quotient - 1n, isExact };
  }
}

export const one = new Ratio(1n);
