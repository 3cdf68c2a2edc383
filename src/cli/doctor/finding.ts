export interface DoctorFinding {
  readonly area: Area;
  /** `problem`: something fails, or will fail. `warning`: it works for now. */
  readonly level: 'ok' | 'warning' | 'problem';
  readonly says: string;
  /** Next step; always set for a warning or problem. */
  readonly fix?: string;
}

export type Area = 'version' | 'file' | 'store' | 'clock' | 'disk' | 'descriptors' | 'memory' | 'providers' | 'front';

export function ok(area: Area, says: string): DoctorFinding {
  return { area, level: 'ok', says };
}

export function warning(area: Area, says: string, fix: string): DoctorFinding {
  return { area, level: 'warning', says, fix };
}

export function problem(area: Area, says: string, fix: string): DoctorFinding {
  return { area, level: 'problem', says, fix };
}
