import type { RequestRecord } from './request-record.ts';

/** Measurements stay in the process that served the request. */
type PackedFields = Omit<RequestRecord, 'measured' | 'reachedLimit' | 'trace' | 'packageName' | 'uploadMs'>;

/** A record as a JSON array: without field names, which are most of its size, and with money as text. */
export type PackedRecord = ReturnType<typeof packRecord>;

export function packRecord(record: RequestRecord) {
  return [
    record.id,
    record.startedAt,
    record.accountId,
    record.keyId,
    record.userId,
    record.site,
    record.surface,
    record.requestedModel,
    record.model,
    record.upstream,
    record.upstreamModel,
    record.status,
    record.errorCase,
    record.errorDetail,
    record.finish,
    record.promptTokens,
    record.completionTokens,
    record.cachedTokens,
    record.cacheWrite5mTokens,
    record.cacheWrite1hTokens,
    record.reasoningTokens,
    record.toolUses,
    record.usageSource,
    record.attemptCount,
    record.attempts,
    record.queuePosition,
    record.waitMs,
    record.firstByteMs,
    record.durationMs,
    record.clientGone,
    record.requestedWhole,
    record.unwantedStream,
    record.notes,
    record.cost?.toString(),
    record.priceVersion,
    record.providerCost?.toString(),
    record.cacheSavings?.toString(),
    record.replayOf,
    record.calls,
    record.constraints,
    record.answeredMs,
    record.failedModels,
    record.costLines,
    record.tags,
  ] as const;
}

/** Restores a record. Fields that were `undefined` arrive as `null`. */
export function unpackRecord(fields: PackedRecord): RequestRecord {
  return {
    id: fields[0],
    startedAt: fields[1],
    accountId: fields[2],
    keyId: fields[3],
    userId: fields[4] ?? undefined,
    site: fields[5],
    surface: fields[6],
    requestedModel: fields[7],
    model: fields[8] ?? undefined,
    upstream: fields[9] ?? undefined,
    upstreamModel: fields[10] ?? undefined,
    status: fields[11],
    errorCase: fields[12] ?? undefined,
    errorDetail: fields[13] ?? undefined,
    finish: fields[14] ?? undefined,
    promptTokens: fields[15] ?? undefined,
    completionTokens: fields[16] ?? undefined,
    cachedTokens: fields[17] ?? undefined,
    cacheWrite5mTokens: fields[18] ?? undefined,
    cacheWrite1hTokens: fields[19] ?? undefined,
    reasoningTokens: fields[20] ?? undefined,
    toolUses: fields[21] ?? undefined,
    usageSource: fields[22] ?? undefined,
    attemptCount: fields[23],
    attempts: fields[24],
    queuePosition: fields[25] ?? undefined,
    waitMs: fields[26] ?? undefined,
    firstByteMs: fields[27] ?? undefined,
    durationMs: fields[28],
    clientGone: fields[29],
    requestedWhole: fields[30] ?? undefined,
    unwantedStream: fields[31] ?? undefined,
    notes: fields[32],
    cost: nanoOf(fields[33]),
    priceVersion: fields[34] ?? undefined,
    providerCost: nanoOf(fields[35]),
    cacheSavings: nanoOf(fields[36]),
    replayOf: fields[37] ?? undefined,
    calls: fields[38] ?? undefined,
    constraints: fields[39] ?? undefined,
    answeredMs: fields[40] ?? undefined,
    failedModels: fields[41] ?? undefined,
    costLines: fields[42] ?? undefined,
    tags: fields[43] ?? undefined,
  } satisfies Record<keyof PackedFields, unknown>;
}

function nanoOf(money: string | undefined): bigint | undefined {
  return money ? BigInt(money) : undefined;
}
