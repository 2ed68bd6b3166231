/** `npm run bench`: measures the floor and prints it beside its goals. `--rounds`, `--wins` and the like change how much. */
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { GOALS, measureFloor } from './floor.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    echoes: { type: 'string', default: '6000' },
    refusals: { type: 'string', default: '6000' },
    wins: { type: 'string', default: '3000' },
    settled: { type: 'string', default: '50000' },
    // Settlement's groups are of those who wait at once, and the fewer they are, the more a commit costs each.
    connections: { type: 'string', default: '256' },
  },
});

const report = await measureFloor({
  rounds: Number(values.rounds),
  echoes: Number(values.echoes),
  refusals: Number(values.refusals),
  wins: Number(values.wins),
  settled: Number(values.settled),
  connections: Number(values.connections),
});

const write = (text: string) => process.stdout.write(`${text}\n`);
const { refusals, lateRefusals, wins, settlement, echoRate } = report;
const line = (name: string, rate: number, ratio: string, goal: string) =>
  write(`${name.padEnd(12)} ${Math.round(rate).toString().padStart(8)}/s   ${ratio.padEnd(44)} goal ${goal}`);
const ratioOf = ({ ofEcho, cpuOfEcho }: typeof refusals) =>
  `${ofEcho.toFixed(2)} of the echo${cpuOfEcho === null ? '' : `, ${cpuOfEcho.toFixed(2)} by processor time`}`;

write(
  `medians of ${values.rounds} rounds over ${values.connections} connections; load ${loadavg()
    .map((load) => load.toFixed(1))
    .join(' ')}`,
);
write(`${'echo'.padEnd(12)} ${Math.round(echoRate).toString().padStart(8)}/s`);
line('refusals', refusals.rate, ratioOf(refusals), `${GOALS.refusals}`);
line('refused late', lateRefusals.rate, ratioOf(lateRefusals), '-');
line('wins', wins.rate, ratioOf(wins), `${GOALS.wins}`);
const groups = `in groups of ${Math.round(settlement.ordersPerGroup)}, of settlement's own time`;
line('settlement', settlement.ordersPerSecond, groups, `${GOALS.settledPerSecond}/s`);
