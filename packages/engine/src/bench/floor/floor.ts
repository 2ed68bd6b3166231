/**
 * What one process can do, against the least that Node can do in the same minute: a bare `node:http` server that echoes JSON.
 * Each shot stands between two of the echo, and what counts is the ratio, so a noisy machine spoils little.
 */
import { fileURLToPath } from 'node:url';
import { hammer } from './hammer.ts';
import { type MeasuredProcess, startMeasured } from './measured-process.ts';
import { type SluiceUnderTest, startSluiceUnderTest } from './sluice-under-test.ts';

export interface FloorOptions {
  readonly rounds: number;
  /** Requests in one shot. */
  readonly echoes: number;
  readonly refusals: number;
  readonly wins: number;
  /** Orders that are settled in groups. */
  readonly settled: number;
  /** That are open at once; the echo has as many. */
  readonly connections: number;
}

export interface Figure {
  /** Requests a second. */
  readonly rate: number;
  /** Of the echo's rate, beside it. */
  readonly ofEcho: number;
  /** The echo's processor time for a request, in this one's; null where it cannot be read. */
  readonly cpuOfEcho: number | null;
}

/** Medians of all rounds. */
export interface FloorReport {
  readonly echoRate: number;
  /** Of token requests, which is what a sold-out sale answers most. */
  readonly refusals: Figure;
  /** Of purchases whose token was drawn before: the body is read, and the gate asked. */
  readonly lateRefusals: Figure;
  /** Answered after their commit. */
  readonly wins: Figure;
  readonly settlement: { readonly ordersPerSecond: number; readonly ordersPerGroup: number };
}

/** What is asked of one process. */
export const GOALS = { refusals: 0.6, wins: 0.25, settledPerSecond: 10_000 } as const;

const ECHO = fileURLToPath(new URL('./echo-server.js', import.meta.url));
const LOSERS = 1_000;

interface Shot {
  readonly rate: number;
  readonly cpuMs: number | null;
}

export async function measureFloor(options: FloorOptions): Promise<FloorReport> {
  const echo = await startMeasured([ECHO]);
  const sluice = await startSluiceUnderTest();
  try {
    const { tries, purchases: losers } = await loserRequests(sluice);
    const shootAt = (server: MeasuredProcess, requests: readonly Buffer[], status: number) =>
      shoot(server, requests, { status, connections: options.connections });
    const shootEcho = () => shootAt(echo, repeated(losers, options.echoes), 200);
    const rounds: { readonly echo: Shot; readonly refused: Shot; readonly late: Shot; readonly won: Shot }[] = [];
    // The first round warms up.
    for (let round = 0; round <= options.rounds; round++) {
      const winners = await sluice.purchases(await sluice.openSale(options.wins), options.wins);
      const before = await shootEcho();
      const refused = await shootAt(sluice, repeated(tries, options.refusals), 409);
      const late = await shootAt(sluice, repeated(losers, options.refusals), 409);
      const between = await shootEcho();
      const won = await shootAt(sluice, winners, 202);
      const after = await shootEcho();
      if (round > 0) rounds.push({ echo: meanOf([before, between, after]), refused, late, won });
    }
    return {
      echoRate: median(rounds.map((round) => round.echo.rate)),
      refusals: figureOf(rounds.map((round) => [round.refused, round.echo])),
      lateRefusals: figureOf(rounds.map((round) => [round.late, round.echo])),
      wins: figureOf(rounds.map((round) => [round.won, round.echo])),
      settlement: await sluice.settlementRate(options.settled),
    };
  } finally {
    await Promise.all([echo.stop(), sluice.stop()]);
  }
}

interface LoserRequests {
  readonly tries: readonly Buffer[];
  /** Each with a token of its own. */
  readonly purchases: readonly Buffer[];
}

/** For a sale whose only unit is held. */
async function loserRequests(sluice: SluiceUnderTest): Promise<LoserRequests> {
  const saleId = await sluice.openSale(1);
  const [winner, ...purchases] = await sluice.purchases(saleId, LOSERS + 1);
  if (winner) await shoot(sluice, [winner], { status: 202, connections: 1 });
  // Whoever finds it empty first is who makes it known.
  await shoot(sluice, purchases, { status: 409, connections: 64 });
  return { tries: sluice.tries(saleId, LOSERS), purchases };
}

function repeated(requests: readonly Buffer[], count: number): readonly Buffer[] {
  return Array.from({ length: count }, (_, index) => requests[index % requests.length] ?? Buffer.alloc(0));
}

interface Expected {
  readonly status: number;
  readonly connections: number;
}

async function shoot(server: MeasuredProcess, requests: readonly Buffer[], expected: Expected): Promise<Shot> {
  const cpuBefore = server.cpuMs();
  const { answers, durationMs } = await hammer(server.url, requests, expected.connections);
  const cpuAfter = server.cpuMs();
  const wrong = answers.find((answer) => answer.status !== expected.status);
  if (wrong) throw new Error(`not ${expected.status}: ${wrong.status} ${wrong.text.slice(0, 300)}`);
  const cpuMs = cpuBefore === null || cpuAfter === null ? null : (cpuAfter - cpuBefore) / requests.length;
  return { rate: (requests.length / durationMs) * 1_000, cpuMs };
}

function meanOf(shots: readonly Shot[]): Shot {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const cpus = shots.flatMap(({ cpuMs }) => cpuMs ?? []);
  return { rate: mean(shots.map(({ rate }) => rate)), cpuMs: cpus.length === shots.length ? mean(cpus) : null };
}

function figureOf(pairs: readonly (readonly [shot: Shot, echo: Shot])[]): Figure {
  const cpus = pairs.flatMap(([shot, echo]) => (shot.cpuMs && echo.cpuMs ? [echo.cpuMs / shot.cpuMs] : []));
  return {
    rate: median(pairs.map(([shot]) => shot.rate)),
    ofEcho: median(pairs.map(([shot, echo]) => shot.rate / echo.rate)),
    cpuOfEcho: cpus.length === 0 ? null : median(cpus),
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
