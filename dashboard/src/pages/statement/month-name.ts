import { useText } from '../../text/text.tsx';

/** The name of a month such as `2026-03`. Only its name: the account's time zone decides when it begins. */
export function useMonthName(): (month: string) => string {
  const { language } = useText();
  const format = new Intl.DateTimeFormat(language === 'zh' ? 'zh-CN' : 'en-GB', {
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
  return (month) => {
    const start = new Date(`${month}-01T00:00:00Z`);
    return Number.isNaN(start.getTime()) ? month : format.format(start);
  };
}
