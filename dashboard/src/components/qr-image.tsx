import { useMemo } from 'react';
import { encode } from 'uqr';

interface QrImageProps {
  readonly text: string;
  readonly label: string;
  readonly size?: number;
}

/**
 * A QR code, drawn in the browser: its text may be a secret and is sent nowhere. Always dark on light, as readers
 * expect.
 */
export function QrImage({ text, label, size = 200 }: QrImageProps) {
  const { data: modules, size: side } = useMemo(() => encode(text, { ecc: 'M', border: 4 }), [text]);
  const path = modules.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
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
