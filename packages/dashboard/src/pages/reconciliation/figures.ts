import { useFormat } from '../../text/format.ts';

/** A figure, a difference with its sign, or a difference of money without its last digits. */
type Look = 'plain' | 'signed' | 'short';

/** Returns a function that shows a count of tokens or an amount of money, with all its digits unless it is `short`. */
export function useShownFigure(currency: string): (figure: number | string | null, look?: Look) => string {
  const format = useFormat();
  return (figure, look = 'plain') => {
    if (figure === null) return '–';
    if (typeof figure === 'number')
      return format.number(figure, look === 'plain' ? undefined : { signDisplay: 'exceptZero' });
    const isMore = look !== 'plain' && !figure.startsWith('-') && /[1-9]/.test(figure);
    const text = look === 'short' ? format.money(figure, currency) : format.exactMoney(figure, currency);
    return `${isMore ? '+' : ''}${text}`;
  };
}
