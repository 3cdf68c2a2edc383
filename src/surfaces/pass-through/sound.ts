/** No speech is recorded in fewer bytes a second. */
const bytesPerSecondMin = 500;
/** Nobody sends speech in more. */
const bytesPerSecondMax = 200_000;

/** The most seconds a recording of that size can have. */
export function secondsMax(bytes: number): number {
  return Math.ceil(bytes / bytesPerSecondMin);
}

/** How long a recording is at least, where its provider does not say: exactly, if it says so itself. */
export function secondsAtLeast(file: Buffer): number {
  const isWave = file.toString('latin1', 0, 4) === 'RIFF' && file.toString('latin1', 8, 16) === 'WAVEfmt ';
  const bytesPerSecond = isWave && file.length >= waveHeadBytes ? file.readUInt32LE(byteRateAt) : 0;
  const seconds = (file.length - waveHeadBytes) / (bytesPerSecond || bytesPerSecondMax);
  return Math.max(0, Math.min(Math.floor(seconds), secondsMax(file.length)));
}

const waveHeadBytes = 44;
const byteRateAt = 28;

/** When the last line of subtitles ends, in seconds. */
export function lastTimestamp(subtitles: string): number | undefined {
  const [, hours = '0', minutes = '0', seconds = '0'] =
    [...subtitles.matchAll(/-->\s*(?:(\d+):)?(\d{1,2}):(\d{1,2})[.,]\d+/g)].at(-1) ?? [];
  const last = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return last > 0 ? last : undefined;
}
