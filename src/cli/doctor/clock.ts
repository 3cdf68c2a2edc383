import { type DoctorFinding, ok, problem, warning } from './finding.ts';

const skewMsMax = 30_000;
const stamp = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)$/;

export interface OtherClock {
  readonly owner: string;
  readonly aheadMs: number;
}

/** Key expiry, signed requests to clouds and the times in the ledger depend on the local clock. */
export function clockFindings(nowMs: number, build: string, others: readonly OtherClock[]): readonly DoctorFinding[] {
  const fix = 'Synchronise the clock with a time server (timedatectl set-ntp true, or chrony).';
  const [, year, month, day, ...time] = stamp.exec(build) ?? [];
  const builtAt = year === undefined ? 0 : Date.parse(`${year}-${month}-${day}T${time.join(':')}Z`);
  if (nowMs < builtAt) return [problem('clock', 'The clock is earlier than the build time of this program.', fix)];
  const skewed = others.filter(({ aheadMs }) => Math.abs(aheadMs) > skewMsMax);
  const warnings = skewed.map(({ owner, aheadMs }) => {
    const seconds = Math.round(Math.abs(aheadMs) / 1000);
    return warning(
      'clock',
      `The clock of ${owner} is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the local clock.`,
      fix,
    );
  });
  if (warnings.length > 0) return warnings;
  return [
    ok('clock', others.length === 0 ? 'No other clock to compare with.' : 'The clock agrees with other machines.'),
  ];
}
