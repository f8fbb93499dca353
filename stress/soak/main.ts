/**
 * `npm run soak [-- --minutes 10]`: runs `svc serve`, which watches and indexes notes with a provider, accepts
 * webhooks, runs tasks and dreams every minute, and `svc mcp` under constant queries, while notes change.
 * Prints the resources that both use. Exits with 1 if memory or handles grow after the first third, or if
 * the state left behind is faulty.
 */
import { chmodSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { startOpenAiFake } from '../../test/fakes/openai.js';
import { jsonOf } from '../../test/support/json.js';
import { closeClients, stdioClient } from '../../test/support/mcp.js';
import { runSvc } from '../../test/support/run-svc.js';
import { openAiSearchSettings } from '../../test/support/semantic-memory.js';
import { recordsOf, serve, serverHome, whenReady } from '../../test/support/serving.js';
import { SECRET, SESSION } from '../../test/support/webhooks.js';
import { askForClaim, NOTE } from '../claims.js';
import { parseCommandLine } from '../flags.js';
import { changeNotes, makeNotes } from './changing-notes.js';
import { integrityFaults } from './databases.js';
import { growthOf, lowestOf, type ResourceUsage, resourceUsageOf } from './resource-usage.js';
import { type Load, loadWebhooks } from './webhook-load.js';

const MINUTES = 10;
const ROWS = 12;
const SAMPLE_EVERY_MS = 2000;
/** Share of the time for warming up, while caches fill and code is compiled. */
const WARM_UP = 1 / 3;
/** Above the noise of garbage collection; a leak of a few hundred bytes per request exceeds it in ten minutes. */
const MOST_GROWTH = { mb: 12, share: 0.1 } as const;
const GARBAGE_MS = 60_000;
/** A connection may happen to be open when handles are counted. */
const MOST_HANDLES = 3;
const HANDWRITTEN = '# Mine\n\nBy hand: the amber cedar is in the north.\n';

const minutes = parseCommandLine('minutes').number('minutes') ?? MINUTES;
const totalMs = minutes * 60_000;
const complaints: string[] = [];

const fake = await startOpenAiFake({ dimensions: 32 });
const home = serverHome(configuration());
chmodSync(home.at('svc.json'), 0o600);
home.write('workspace/MEMORY.md', HANDWRITTEN);
home.write(`workspace/${NOTE}`, '# Day\n\n');
makeNotes(home.at('workspace/memory'));
const serving = serve(home, ['--plain', '--quiet']);
const url = await whenReady(home);
const { client, transport } = await stdioClient(home);
const pids = { serve: serving.child.pid ?? 0, mcp: transport.pid ?? 0 };

const done = { changes: 0, searches: 0, calls: 0 };
const isOver = { value: false };
const started = performance.now();
const webhooks = loadWebhooks(url, isOver);
const work = Promise.all([change(), askMcp(), searchByCommand(), dream(), webhooks.ended]);
await watch(webhooks);
isOver.value = true;
await work;
await finish(webhooks);

function configuration(): object {
  const worker = ['sh', '-c', 'cat > /dev/null; echo \'{"type":"result","summary":"done"}\''];
  const memorySearch = {
    ...openAiSearchSettings(fake),
    sync: { watchDebounceMs: 200, intervalMinutes: 1 },
  };
  return {
    agents: { defaults: { memorySearch } },
    plugins: {
      entries: {
        webhooks: {
          enabled: true,
          config: {
            routes: { ci: { sessionKey: SESSION, secret: SECRET } },
            limits: { ratePerWindow: 1_000_000, inFlight: 1000 },
          },
        },
        'memory-core': { config: { dreaming: { enabled: true, frequency: '* * * * *' } } },
      },
    },
    flows: { runtimes: { subagent: { command: worker } } },
  };
}

/** Changes notes in groups with pauses in between. */
async function change(): Promise<void> {
  const notes = home.at('workspace/memory');
  for (let n = 0; !isOver.value; n++) {
    changeNotes(notes, n);
    done.changes += 1;
    await sleep(n % 8 === 0 ? 500 : 15);
  }
}

async function askMcp(): Promise<void> {
  for (let n = 0; !isOver.value; n++) {
    const query = `word${n % 97} word${n % 83}`;
    const result = await client.callTool({ name: 'memory_search', arguments: { query } });
    if (result.isError === true) complaints.push(`mcp: ${JSON.stringify(result.content)}`);
    done.calls += 1;
    await sleep(100);
  }
}

async function searchByCommand(): Promise<void> {
  while (!isOver.value) {
    const query = `word${done.searches % 89}`;
    const run = await runSvc(['memory', 'search', query, '--json'], { home: home.path });
    if (run.code !== 0) complaints.push(`search: ${run.stdout}`);
    done.searches += 1;
    await sleep(500);
  }
}

async function dream(): Promise<void> {
  for (let n = 0; !isOver.value; n++) {
    askForClaim(home, n);
    for (let waited = 0; waited < 20 && !isOver.value; waited++) await sleep(1000);
  }
}

interface UsageSample extends ResourceUsage {
  readonly atMs: number;
}

/** Samples resources periodically, and judges their growth after warming up. */
async function watch(load: Load): Promise<void> {
  const samples: Record<keyof typeof pids, UsageSample[]> = { serve: [], mcp: [] };
  console.log(
    `node ${process.version}, ${minutes} min; serve and mcp: memory MB, handles, watches`,
  );
  console.log('minute  changes  searches  by mcp  flows      serve               mcp');
  let nextRowMs = 0;
  for (;;) {
    const atMs = performance.now() - started;
    for (const name of ['serve', 'mcp'] as const) {
      samples[name].push({ atMs, ...resourceUsageOf(pids[name]) });
    }
    if (atMs >= nextRowMs) {
      nextRowMs += totalMs / ROWS;
      printRow(atMs, load, samples.serve.at(-1), samples.mcp.at(-1));
    }
    if (atMs >= totalMs) break;
    await sleep(SAMPLE_EVERY_MS);
  }
  for (const name of ['serve', 'mcp'] as const) judge(name, samples[name]);
}

function printRow(
  atMs: number,
  load: Load,
  ...samples: readonly (UsageSample | undefined)[]
): void {
  const cells = [(atMs / 60_000).toFixed(1), done.changes, done.searches, done.calls, load.flows()];
  const widths = [6, 9, 10, 8, 7];
  const counts = cells.map((cell, at) => String(cell).padStart(widths[at] ?? 0)).join('');
  const usages = samples.map((one) => {
    if (one === undefined) return '';
    const { memoryMb, handles, watches } = one;
    return `${memoryMb.toFixed(1).padStart(10)} ${String(handles).padStart(4)} ${String(watches).padStart(4)}`;
  });
  console.log(counts + usages.join(''));
}

function judge(name: string, all: readonly UsageSample[]): void {
  const samples = all.filter(({ atMs }) => atMs >= totalMs * WARM_UP);
  const memory = samples.map(({ atMs, memoryMb }) => ({ atMs, value: memoryMb }));
  const growth = growthOf(lowestOf(memory, GARBAGE_MS));
  const handles = growthOf(samples.map((sample) => ({ atMs: sample.atMs, value: sample.handles })));
  const median = [...samples].sort((a, b) => a.memoryMb - b.memoryMb)[samples.length >> 1];
  const memoryMb = median?.memoryMb ?? 0;
  const most = Math.max(MOST_GROWTH.mb, memoryMb * MOST_GROWTH.share);
  const spread = samples.map((sample) => sample.handles);
  console.log(
    `${name}: ${memoryMb.toFixed(1)} MB in the middle, ${growth.toFixed(1)} MB grown since the warm-up (at most ${most.toFixed(0)}); ${Math.min(...spread)} to ${Math.max(...spread)} handles, ${handles.toFixed(1)} grown`,
  );
  if (growth > most) complaints.push(`${name} has grown by ${growth.toFixed(1)} MB`);
  if (handles > MOST_HANDLES) complaints.push(`${name} has ${handles.toFixed(0)} handles more`);
}

/** Stops both and checks the state they left behind. */
async function finish(load: Load): Promise<void> {
  await closeClients();
  await whenIndexUpToDate();
  const sweeps = recordsOf(home).filter(({ message }) => message === 'sweep done').length;
  if (sweeps === 0 && minutes > 1.5) complaints.push('nothing was dreamt');
  serving.child.kill('SIGTERM');
  const { code, stderr } = await serving.done;
  if (code !== 0) complaints.push(`serve ended with ${code}: ${stderr.slice(-2000)}`);
  complaints.push(...load.lost(home), ...integrityFaults(home), ...load.complaints());
  if (!readFileSync(home.at('workspace/MEMORY.md'), 'utf8').startsWith(HANDWRITTEN))
    complaints.push('handwritten text in MEMORY.md has changed');
  const doctor = await runSvc(['config', 'doctor', '--json'], { home: home.path });
  const { counts, checks } = jsonOf.doctor(doctor);
  if (counts.faults > 0) complaints.push(`the doctor found ${JSON.stringify(checks)}`);
  await fake.close();
  console.log(
    `${sweeps} sweeps; the doctor found ${counts.faults} faults, ${counts.warnings} warnings`,
  );
  for (const complaint of complaints.slice(0, 10)) console.log(`FAULT: ${complaint}`);
  if (complaints.length === 0)
    console.log('memory and handles do not grow, and the state is sound');
  process.exit(complaints.length === 0 ? 0 : 1);
}

/** Waits until the index is up to date. */
async function whenIndexUpToDate(): Promise<void> {
  const LONGEST_MS = 60_000;
  const from = performance.now();
  for (;;) {
    const run = await runSvc(['memory', 'status', '--json'], { home: home.path });
    const stale = jsonOf.status(run).agents[0]?.staleness;
    const { added, changed, removed } = stale ?? { added: 1, changed: 1, removed: 1 };
    if (added + changed + removed === 0) return;
    if (performance.now() - from > LONGEST_MS) {
      complaints.push(`the index stays behind: ${JSON.stringify(stale)}`);
      return;
    }
    await sleep(1000);
  }
}
