/** The gateway's door to exact amounts. The package has them because browsers and the command line compute with them too. */
export { decimalText, minorUnit, type Nano, nanoFrom, scaled, unitsText } from 'chat-gateway-figures/money.ts';
