/** No recording of speech has fewer bytes per second. */
const bytesPerSecondMin = 500;
/** No recording of speech has more. */
const bytesPerSecondMax = 200_000;

/** The maximum length of a recording of this size. */
export function secondsMax(bytes: number): number {
  return Math.ceil(bytes / bytesPerSecondMin);
}

/** The minimum length of a recording, if the provider does not report it. Exact for WAV files. */
export function secondsAtLeast(file: Buffer): number {
  const isWave = file.toString('latin1', 0, 4) === 'RIFF' && file.toString('latin1', 8, 16) === 'WAVEfmt ';
  const bytesPerSecond = isWave && file.length >= waveHeadBytes ? file.readUInt32LE(byteRateAt) : 0;
  const seconds = (file.length - waveHeadBytes) / (bytesPerSecond || bytesPerSecondMax);
  return Math.max(0, Math.min(Math.floor(seconds), secondsMax(file.length)));
}

const waveHeadBytes = 44;
const byteRateAt = 28;

/** The end of the last subtitle, in seconds. */
export function lastTimestamp(subtitles: string): number | undefined {
  const [, hours = '0', minutes = '0', seconds = '0'] =
    [...subtitles.matchAll(/-->\s*(?:(\d+):)?(\d{1,2}):(\d{1,2})[.,]\d+/g)].at(-1) ?? [];
  const last = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return last > 0 ? last : undefined;
}
