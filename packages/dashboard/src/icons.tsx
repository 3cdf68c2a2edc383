import type { ReactNode } from 'react';

export interface IconProps {
  readonly size?: number;
}

/** A 24 × 24 line drawing in the colour of the adjacent text. */
function icon(drawing: ReactNode) {
  return function Icon({ size = 18 }: IconProps) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth={1.7}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        focusable="false"
      >
        {drawing}
      </svg>
    );
  };
}

export const OrganisationsIcon = icon(
  <>
    <rect x="9" y="3" width="6" height="5" rx="1" />
    <rect x="3" y="16" width="6" height="5" rx="1" />
    <rect x="15" y="16" width="6" height="5" rx="1" />
    <path d="M12 8v4m-6 4v-4h12v4" />
  </>,
);
export const OverviewIcon = icon(<path d="M4 19V5m0 14h16M8 15l3.5-4 3 2.5L20 8" />);
export const AlertsIcon = icon(<path d="M6 16V11a6 6 0 0 1 12 0v5l1.5 2h-15L6 16Zm4 5h4" />);
export const KeyIcon = icon(
  <>
    <circle cx="8" cy="15" r="4" />
    <path d="m11 12 8-8m-3 3 3 3m-5.5-.5 2 2" />
  </>,
);
export const ModelsIcon = icon(<path d="m12 3 8 4.5v9L12 21l-8-4.5v-9L12 3Zm0 9 8-4.5M12 12v9m0-9L4 7.5" />);
export const PlaygroundIcon = icon(
  <path d="M4 6a2 2 0 0 1 2-2h12a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-7l-5 4v-4a2 2 0 0 1-2-2V6Zm5 4h6" />,
);
export const RefreshIcon = icon(
  <path d="M20 11a8 8 0 0 0-14.3-4L4 8.5m0-5v5h5M4 13a8 8 0 0 0 14.3 4l1.7-1.5m0 5v-5h-5" />,
);
export const UsageIcon = icon(<path d="M5 20v-7m5 7V5m5 15v-9m5 9V8" />);
export const ReconciliationIcon = icon(<path d="M12 4v16m-4 0h8M5 7h14M5 7l-2.5 6.5h5L5 7Zm14 0-2.5 6.5h5L19 7Z" />);
export const RequestsIcon = icon(<path d="M4 6h16M4 12h10M4 18h13m1-6h2" />);
export const BatchesIcon = icon(<path d="M12 3 3 8l9 5 9-5-9-5ZM3 12l9 5 9-5M3 16l9 5 9-5" />);
export const BillingIcon = icon(
  <>
    <rect x="3" y="5" width="18" height="14" rx="2.5" />
    <path d="M3 10h18M7 15h4" />
  </>,
);
export const ProfileIcon = icon(
  <>
    <circle cx="12" cy="8" r="3.5" />
    <path d="M5 20c.6-3.6 3.4-5.5 7-5.5s6.4 1.9 7 5.5" />
  </>,
);
export const SecurityIcon = icon(
  <path d="M12 3 5 6v5.5c0 4.3 2.9 7.6 7 9.5 4.1-1.9 7-5.2 7-9.5V6l-7-3Zm-3 9 2.2 2.2L15.3 10" />,
);
export const MembersIcon = icon(
  <>
    <circle cx="9" cy="8.5" r="3" />
    <path d="M3 19c.5-3 2.9-4.5 6-4.5s5.5 1.5 6 4.5m.5-13.2a3 3 0 0 1 0 5.5M17.5 14.9c1.9.6 3.2 2 3.5 4.1" />
  </>,
);
export const LiveIcon = icon(<path d="M3 12h4l3-7 4 14 3-7h4" />);
export const UpstreamsIcon = icon(<path d="M12 20V9m0 0L7.5 13.5M12 9l4.5 4.5M5 4h14" />);
export const RoutesIcon = icon(
  <>
    <circle cx="6" cy="6" r="2.2" />
    <circle cx="18" cy="18" r="2.2" />
    <path d="M8.2 6H14a3.5 3.5 0 0 1 0 7h-4a2.5 2.5 0 0 0 0 5h5.8" />
  </>,
);
export const SitesIcon = icon(
  <>
    <circle cx="12" cy="12" r="8.5" />
    <path d="M3.5 12h17M12 3.5c2.5 2.4 3.5 5.3 3.5 8.5s-1 6.1-3.5 8.5c-2.5-2.4-3.5-5.3-3.5-8.5s1-6.1 3.5-8.5Z" />
  </>,
);
export const PackagesIcon = icon(<path d="m4 8 8-4 8 4v8l-8 4-8-4V8Zm0 0 8 4 8-4m-8 4v8M8 6l8 4" />);
export const CodesIcon = icon(
  <path d="M4 7a2 2 0 0 1 2-2h12a2 2 0 0 1 2 2v2.5a2.5 2.5 0 0 0 0 5V17a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2v-2.5a2.5 2.5 0 0 0 0-5V7Zm10-2v3m0 3v2m0 3v3" />,
);
export const AccountsIcon = icon(
  <path d="M4 20V6l7-3v17m0-11h7a2 2 0 0 1 2 2v9M2.5 20h19M7 9h1m-1 4h1m7 0h1m-1 3.5h1" />,
);
export const AuditIcon = icon(
  <path d="M7 3h10a2 2 0 0 1 2 2v16l-3.5-2-3.5 2-3.5-2L5 21V5a2 2 0 0 1 2-2Zm2 5h6m-6 4h6" />,
);
export const SystemIcon = icon(
  <>
    <rect x="3.5" y="4" width="17" height="7" rx="2" />
    <rect x="3.5" y="13" width="17" height="7" rx="2" />
    <path d="M7.5 7.5h.01M7.5 16.5h.01M12 7.5h5M12 16.5h5" />
  </>,
);
export const MenuIcon = icon(<path d="M4 7h16M4 12h16M4 17h16" />);
export const CloseIcon = icon(<path d="m6 6 12 12M18 6 6 18" />);
export const EditIcon = icon(<path d="m4 20 1-4L16.5 4.5a2 2 0 0 1 3 3L8 19l-4 1Zm10.5-13.5 3 3" />);
export const ChevronIcon = icon(<path d="m8 10 4 4 4-4" />);
export const ChooseIcon = icon(<path d="m8 9.5 4-4 4 4m-8 5 4 4 4-4" />);
export const CheckIcon = icon(<path d="m5 12.5 4.5 4.5L19 7.5" />);
export const CopyIcon = icon(
  <>
    <rect x="9" y="9" width="11" height="11" rx="2" />
    <path d="M15 5.5A1.5 1.5 0 0 0 13.5 4h-8A1.5 1.5 0 0 0 4 5.5v8A1.5 1.5 0 0 0 5.5 15" />
  </>,
);
export const SunIcon = icon(
  <>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 3v1.5m0 15V21M3 12h1.5m15 0H21M5.6 5.6l1.1 1.1m10.6 10.6 1.1 1.1m0-12.8-1.1 1.1M6.7 17.3l-1.1 1.1" />
  </>,
);
export const MoonIcon = icon(<path d="M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5Z" />);
export const DeviceIcon = icon(
  <>
    <rect x="3" y="5" width="18" height="12" rx="2" />
    <path d="M9 20.5h6M12 17v3.5" />
  </>,
);
export const LanguageIcon = icon(
  <path d="M4 6h9M8.5 4v2m3 0c-.8 3.5-3.3 6.5-7 8m1.5-5c1 2 3 4 5.5 5M12 20l4.2-10L20.5 20m-7-3.5h5.5" />,
);
export const SignOutIcon = icon(<path d="M14 4H7a2 2 0 0 0-2 2v12a2 2 0 0 0 2 2h7m3-4 4-4-4-4m4 4H10" />);
export const WarningIcon = icon(<path d="M12 4 2.8 19.5h18.4L12 4Zm0 6v4.5m0 2.5v.01" />);
export const FileIcon = icon(<path d="M7 3h7l5 5v11a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2Zm7 0v5h5" />);
export const SearchIcon = icon(
  <>
    <circle cx="11" cy="11" r="6.5" />
    <path d="m16 16 4.5 4.5" />
  </>,
);
export const PlusIcon = icon(<path d="M12 5v14M5 12h14" />);
export const ArrowUpIcon = icon(<path d="M12 19V5m-6 6 6-6 6 6" />);
export const ArrowDownIcon = icon(<path d="M12 5v14m-6-6 6 6 6-6" />);
export const GripIcon = icon(<path d="M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01" strokeWidth={2.6} />);
export const EyeIcon = icon(
  <>
    <path d="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12Z" />
    <circle cx="12" cy="12" r="2.8" />
  </>,
);
export const MoreIcon = icon(<path d="M5 12h.01M12 12h.01M19 12h.01" strokeWidth={2.6} />);
export const ViewIcon = icon(<path d="M4 7h10m4 0h2M4 17h2m4 0h10M16 5v4M8 15v4" />);
export const FilterIcon = icon(<path d="M4 6h16M7 12h10m-7 6h4" />);
export const ArrowRightIcon = icon(<path d="M5 12h14m-6-6 6 6-6 6" />);
