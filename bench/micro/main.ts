import Table from 'cli-table3';
import { admitMicros } from './admit.ts';
import { answerMicros } from './answer.ts';
import { timesItsFloor } from './measure.ts';
import { plainRequestMicros } from './plain-request.ts';
import { spliceMicros } from './splice.ts';

const table = new Table({ head: ['function', 'floor', 'times its floor'], style: { head: [], border: [] } });
for (const micro of [...plainRequestMicros, ...answerMicros, ...spliceMicros, ...admitMicros]) {
  table.push([micro.name, micro.floorName, timesItsFloor(micro).toFixed(1)]);
}
console.log(`Hot functions beside the least that anybody could do for the same result
${table.toString()}`);
