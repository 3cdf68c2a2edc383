import { type DoctorFinding, ok, problem, warning } from './finding.ts';

const skewMsMax = 30_000;
const stamp = /^(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)$/;

/** What a clock elsewhere says, compared with ours at the same moment. */
export interface OtherClock {
  readonly whose: string;
  readonly aheadMs: number;
}

/** Expiring keys, signed requests to clouds and the times in the ledger all go by this machine's clock. */
export function clockFindings(nowMs: number, build: string, others: readonly OtherClock[]): readonly DoctorFinding[] {
  const fix = 'Have the machine follow a time server (timedatectl set-ntp true, or chrony).';
  const [, year, month, day, ...time] = stamp.exec(build) ?? [];
  const builtAt = year === undefined ? 0 : Date.parse(`${year}-${month}-${day}T${time.join(':')}Z`);
  if (nowMs < builtAt) return [problem('clock', 'The clock is behind the day this program was built.', fix)];
  const wrong = others.filter(({ aheadMs }) => Math.abs(aheadMs) > skewMsMax);
  const told = wrong.map(({ whose, aheadMs }) => {
    const seconds = Math.round(Math.abs(aheadMs) / 1000);
    return warning('clock', `The clock of ${whose} is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} ours.`, fix);
  });
  if (told.length > 0) return told;
  return [
    ok('clock', others.length === 0 ? 'Nobody was there to compare the clock with.' : 'The clock agrees with others.'),
  ];
}
