import classes from './live.module.css';
import { momentsMax } from './live-history.ts';

export interface SparklineProps {
  /** Oldest first; the newest is at the right edge. */
  readonly values: readonly number[];
  /** The smallest value that the top may stand for. */
  readonly atLeast?: number;
  readonly isBad?: boolean;
}

const width = momentsMax - 1;
const height = 20;

/** The last two minutes as a curve without labels; the number is shown next to it. */
export function Sparkline({ values, atLeast = 1, isBad = false }: SparklineProps) {
  const top = Math.max(atLeast, ...values);
  const points = values.map((value, index) => {
    const x = width - (values.length - 1 - index);
    return `${x},${(height - 1 - (value / top) * (height - 2)).toFixed(2)}`;
  });
  const first = width - (values.length - 1);
  return (
    <svg
      className={`${classes['sparkline']} ${isBad ? classes['sparklineBad'] : ''}`}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      focusable="false"
    >
      {values.length > 1 && (
        <>
          <polygon points={`${first},${height} ${points.join(' ')} ${width},${height}`} />
          <polyline points={points.join(' ')} />
        </>
      )}
    </svg>
  );
}
