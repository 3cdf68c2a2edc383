import type { IconProps } from '../../icons.tsx';

export function EyeIcon({ size = 18 }: IconProps) {
  return (
    <svg {...drawing(size)}>
      <path d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12Z" />
      <circle cx="12" cy="12" r="2.8" />
    </svg>
  );
}

export function MoreIcon({ size = 18 }: IconProps) {
  return (
    <svg {...drawing(size)}>
      <path d="M5 12h.01M12 12h.01M19 12h.01" strokeWidth={2.6} />
    </svg>
  );
}

function drawing(size: number) {
  return {
    width: size,
    height: size,
    viewBox: '0 0 24 24',
    fill: 'none',
    stroke: 'currentColor',
    strokeWidth: 1.7,
    strokeLinecap: 'round',
    strokeLinejoin: 'round',
    'aria-hidden': true,
    focusable: false,
  } as const;
}
