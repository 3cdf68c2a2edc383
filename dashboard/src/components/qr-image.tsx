import { useMemo } from 'react';
import { qrCode } from '../qr/qr-code.ts';

/**
 * A QR code, drawn in the browser: its text may be a secret and is sent nowhere. Always dark on light, as readers
 * expect.
 */
export function QrImage({
  text,
  label,
  size = 200,
}: {
  readonly text: string;
  readonly label: string;
  readonly size?: number;
}) {
  const modules = useMemo(() => qrCode(text), [text]);
  const quiet = 4;
  const side = modules.length + quiet * 2;
  const path = modules
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x + quiet} ${y + quiet}h1v1h-1z` : '')))
    .join('');
  return (
    <svg
      width={size}
      height={size}
      viewBox={`0 0 ${side} ${side}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={side} height={side} rx={2} fill="#fff" />
      <path d={path} fill="#111" />
    </svg>
  );
}
