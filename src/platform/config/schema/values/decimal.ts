import { z } from 'zod';
import { breaks } from '../../file/wording.ts';

/** A price per million tokens. Six places keep a token's price a whole number of pico-units. */
export const price = decimal(6, 6);

/** A price per thousand uses of a tool. */
export const toolPrice = decimal(6, 6);

/** A price of one unit, such as a second or a character. It may be very small. */
export const unitPrice = decimal(6, 12);

/** A number that prices are multiplied by. */
export const factor = decimal(3, 6);

/** An amount of money. Nine places are one nano-unit, and nine digits before them fit every store's integers. */
export const amount = decimal(9, 9);

/** A tax rate in percent. */
export const percent = decimal(2, 2);

/** Money is text, never a float, so that no balance has rounding errors such as `0.1 + 0.2`. */
function decimal(wholeDigitsMax: number, placesMax: number) {
  return z
    .string(breaks('decimal_without_quotes'))
    .regex(
      new RegExp(`^\\d{1,${wholeDigitsMax}}(\\.\\d{1,${placesMax}})?$`),
      breaks('not_a_decimal', { whole: wholeDigitsMax, places: placesMax }),
    )
    .meta({ title: 'a decimal in quotes', sample: '"2.50", "0"' });
}
