import { useFormat } from '../../text/format.ts';

/** Returns a function that shows a count of tokens or an amount of money with all its digits. */
export function useShownFigure(currency: string): (figure: number | string | null, sign?: 'signed') => string {
  const format = useFormat();
  return (figure, sign) => {
    if (figure === null) return '–';
    if (typeof figure === 'number') return format.number(figure, sign && { signDisplay: 'exceptZero' });
    const isMore = sign && !figure.startsWith('-') && /[1-9]/.test(figure);
    return `${isMore ? '+' : ''}${format.exactMoney(figure, currency)}`;
  };
}
