/**
 * `npm run bench -- mcp`: the overhead of the protocol for a search in a warm server, compared with the engine's
 * own time for the same query; and how long an agent waits for the first response of a server that it starts.
 * All numbers come from one run.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { openMemory } from '../src/engine/memory/index.js';
import { resolveStatePaths } from '../src/engine/support/context.js';
import { buildCorpus } from './corpus.js';
import { median, type Subject, timeInTurn } from './measure.js';
import { report } from './report.js';
import type { Row } from './table.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const program = join(root, 'bin/run.js');

const CORPUS_BYTES = 16e6;
const WARM_ROUNDS = 150;
const START_ROUNDS = 12;
const QUESTIONS = ['how do I install the package', 'timeout', 'why does the build fail on windows'];

/** Cleanup functions. */
type Closers = (() => Promise<void> | void)[];

/** Anything that answers a query. */
type Ask = (query: string) => Promise<unknown>;

/** A connection to a server. */
interface Connection {
  readonly search: Ask;
  /** Sends a ping. */
  readonly ping: Ask;
}

async function main(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-bench-mcp-'));
  const home = join(dir, 'home');
  const closers: Closers = [];
  try {
    const corpus = buildCorpus(join(dir, 'corpus'), join(root, 'node_modules'), CORPUS_BYTES);
    const args = [program, 'mcp', '--workspace', corpus.dir];
    const env = { PATH: process.env['PATH'] ?? '', HOME: home, SVC_HOME: home };
    const engine = await openEngine(home, corpus.dir, closers);
    await engine(QUESTIONS[0] ?? '');
    const stdio = await openStdio(args, env, closers);
    const http = await openHttp(args, env, home, closers);
    const [bare, overStdio, overHttp, pingStdio, pingHttp] = await timeWarm([
      ...[engine, stdio.search, http.search],
      ...[stdio.ping, http.ping],
    ]);
    const rows = [
      { what: 'the engine itself, in process', value: ms(bare) },
      overheadRow('memory_search over stdio', overStdio, bare),
      overheadRow('memory_search over HTTP', overHttp, bare),
      { what: 'a ping over stdio: client and protocol only', value: ms(pingStdio) },
      { what: 'a ping over HTTP', value: ms(pingHttp) },
      ...(await measureStart(args, env)),
    ];
    report('mcp', `${corpus.files} files`, rows);
  } finally {
    for (const close of closers.toReversed()) await close();
    rmSync(dir, { recursive: true, force: true });
  }
}

async function openEngine(home: string, workspace: string, closers: Closers): Promise<Ask> {
  const env = { SVC_HOME: home };
  const { backend } = await openMemory(
    {
      ...{ env, cwd: root, homeDir: home, state: resolveStatePaths(env, home) },
      clock: { now: Date.now },
    },
    { kind: 'workspace', dir: workspace },
    { longLived: true },
  );
  closers.push(() => backend.close());
  return (query) => backend.search({ query });
}

type Env = Readonly<Record<string, string>>;

async function openStdio(args: readonly string[], env: Env, closers: Closers): Promise<Connection> {
  const transport = new StdioClientTransport({ command: process.execPath, args: [...args], env });
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(transport);
  closers.push(() => client.close());
  return connectionOf(client);
}

async function openHttp(
  args: readonly string[],
  env: Env,
  home: string,
  closers: Closers,
): Promise<Connection> {
  const child = spawn(process.execPath, [...args, '--http', '--port', '0'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  closers.push(() => void child.kill());
  const output = await new Promise<string>((resolve) => {
    let text = '';
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (text.includes('token file: ')) resolve(text);
    });
  });
  const url = /listening on (\S+)/.exec(output)?.[1] ?? '';
  const token = readFileSync(join(home, 'mcp-token'), 'utf8').trim();
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
  closers.push(() => client.close());
  return connectionOf(client);
}

function connectionOf(client: Client): Connection {
  return {
    search: (query) => client.callTool({ name: 'memory_search', arguments: { query } }),
    ping: () => client.ping(),
  };
}

/** Queries all of them in turn after some warm-up rounds. @returns medians in milliseconds */
async function timeWarm(subjects: readonly Ask[]): Promise<readonly number[]> {
  const times = subjects.map((): number[] => []);
  for (let round = -WARM_ROUNDS / 5; round < WARM_ROUNDS; round++) {
    const query = QUESTIONS[Math.abs(round) % QUESTIONS.length] ?? '';
    for (const [at, ask] of subjects.entries()) {
      const started = performance.now();
      await ask(query);
      if (round >= 0) times[at]?.push(performance.now() - started);
    }
  }
  return times.map(median);
}

/** From starting the process to the result of its first search, compared with a search command. */
async function measureStart(args: readonly string[], env: Env): Promise<Row[]> {
  const bare: Subject = { name: 'node -e 0', args: ['-e', '0'] };
  const workspace = args.slice(2);
  const command: Subject = {
    name: 'svc memory search',
    args: [program, 'memory', 'search', QUESTIONS[0] ?? '', ...workspace],
    env,
  };
  const [baseline, search] = timeInTurn([bare, command], START_ROUNDS);
  const times: number[] = [];
  for (let round = 0; round < START_ROUNDS; round++) times.push(await firstAnswer(args, env));
  const took = median(times);
  const baselineMs = baseline?.medianMs ?? Number.NaN;
  return [
    {
      what: 'start to first answer',
      value: ms(took),
      baseline: ms(baselineMs),
      ratio: ratio(took, baselineMs),
    },
    {
      what: 'svc memory search, as a command',
      value: ms(search?.medianMs),
      baseline: ms(baselineMs),
    },
  ];
}

async function firstAnswer(args: readonly string[], env: Env): Promise<number> {
  const started = performance.now();
  const closers: Closers = [];
  const { search } = await openStdio(args, env, closers);
  await search(QUESTIONS[0] ?? '');
  const took = performance.now() - started;
  for (const close of closers) await close();
  return took;
}

function overheadRow(what: string, took: number | undefined, baseline: number | undefined): Row {
  return {
    what,
    value: ms(took),
    baseline: ms(baseline),
    ratio: `+ ${ms((took ?? 0) - (baseline ?? 0))}`,
    target: '+ 3.0 ms',
  };
}

function ms(value = Number.NaN): string {
  return `${value.toFixed(1)} ms`;
}

function ratio(value: number, baseline: number): string {
  return `${(value / baseline).toFixed(2)} ×`;
}

await main();
