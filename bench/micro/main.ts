import { ruled } from '../ruled.ts';
import { admitMicros } from './admit.ts';
import { answerMicros } from './answer.ts';
import { guaranteeMicros } from './guarantees.ts';
import { ledgerMicros } from './ledger.ts';
import { timesItsFloor } from './measure.ts';
import { metricsMicros } from './metrics.ts';
import { simpleRequestMicros } from './simple-request.ts';
import { requestMicros } from './request.ts';
import { cappedSpliceMicros, spliceMicros } from './splice.ts';

const table = [['function', 'floor', 'times its floor']];
const micros = [
  // First: a wallet that sends no heartbeat and is not used loses its leases.
  ...(await ledgerMicros()),
  ...simpleRequestMicros,
  ...requestMicros,
  ...answerMicros,
  ...spliceMicros,
  ...cappedSpliceMicros,
  ...admitMicros,
  ...metricsMicros,
  ...guaranteeMicros,
];
for (const micro of micros) {
  table.push([micro.name, micro.floorName, timesItsFloor(micro).toFixed(1)]);
}
console.log(`Hot functions, compared with the minimum of work for the same result
${ruled(table)}`);
// The wallet would keep sending heartbeats.
process.exit();
