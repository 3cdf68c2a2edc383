import { useFormat } from '../text/format.ts';
import classes from './time-chart.module.css';
import { isWholeDays, type TimeChartProps } from './chart-look.ts';

/** The numbers of a chart as a table, for screen readers and for copying. */
export function ChartTable(props: TimeChartProps & { readonly times: readonly string[] }) {
  const { label, times, series, interval, formatValue } = props;
  const format = useFormat();
  const write = formatValue ?? format.number;
  return (
    <section className={classes['tableBox']} tabIndex={0} aria-label={label}>
      <table className={classes['table']}>
        <thead>
          <tr>
            <th scope="col" />
            {series.map((one) => (
              <th key={one.label} scope="col">
                {one.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((time, index) => (
            <tr key={time}>
              <th scope="row">{isWholeDays(interval) ? format.date(time) : format.dateTime(time)}</th>
              {series.map((one) => {
                const value = one.values[index];
                return <td key={one.label}>{value === null || value === undefined ? '–' : write(value)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
