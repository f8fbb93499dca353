import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { resolveConfig } from '../src/engine/config/index.js';
import { dreamWorkspace } from '../src/engine/dreaming/dream-workspace.js';
import { appendRecall } from '../src/engine/dreaming/recall-log/recall-log.js';
import { queryHashOf } from '../src/engine/dreaming/recall-log/recalled-claims.js';
import { openFlows } from '../src/engine/flows/index.js';
import { createSecretMask } from '../src/engine/masking/index.js';
import { recordedDelivery } from '../src/engine/webhooks/deliveries/delivery.js';
import { DeliveryFile, deliveriesFile } from '../src/engine/webhooks/deliveries/delivery-file.js';
import { contextOf } from '../test/support/context.js';
import { timeRun } from './child.js';
import type { CommandFacts } from './command-cases.js';
import { writeNotes } from './notes-corpus.js';

const DAY_MS = 86_400_000;
const NOTES_BYTES = 400_000;
const SECRET = 'the-secret-of-the-benchmark-0123456789';
const OFTEN_ASKED = 'The nightly backup of the storage server runs at 02:30.';
const ONCE_ASKED = 'Mira owns the billing service and signs off its releases.';
/** What svc recreates automatically: indexes and the cached configuration verdict. */
const REBUILDABLE = ['memory', 'config-verdicts.json', 'node-cache'];

/** A home with a memory, flows and dreams, and copies to restore it from. */
export interface CommandHome {
  readonly facts: CommandFacts;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** As after an installation: the user's files only. */
  readonly toFresh: () => void;
  /** As after some use, with an index. */
  readonly toWarm: (changed: 'state' | 'notes') => void;
}

/** Addresses of the services that commands call. */
export interface ServiceUrls {
  readonly provider: string;
  readonly login: string;
}

/** @param program bin/run.js */
export async function makeCommandHome(
  dir: string,
  program: string,
  { provider, login }: ServiceUrls,
): Promise<CommandHome> {
  const home = join(dir, 'home');
  const workspace = join(dir, 'workspace');
  const copies = { fresh: join(dir, 'fresh'), warm: join(dir, 'warm'), notes: join(dir, 'notes') };
  const env = {
    HOME: home,
    SVC_HOME: home,
    NODE_COMPILE_CACHE: join(home, 'node-cache'),
    SVC_GITHUB_URL: login,
  };
  const svc = (...args: readonly string[]): string =>
    execFileSync(process.execPath, [program, ...args], {
      encoding: 'utf8',
      cwd: home,
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'svc.json'), JSON.stringify(configuration(workspace, provider)));
  const note = writeMemory(home, workspace);
  writeFileSync(join(home, 'questions.jsonl'), questionsAbout(note));
  const { flow, task } = await makeFlows(home);
  const delivery = recordDelivery(home);
  const claimed = JSON.parse(svc('task', 'claim', '--lease-seconds', '86400', '--json'));
  const failing = JSON.parse(svc('task', 'claim', '--json'));
  const lease = ['--lease-token', failing.leaseToken];
  svc('task', 'fail', failing.task.taskId, '--error', 'a page is gone', '--no-retry', ...lease);
  svc('dream', 'run');
  svc('memory', 'export', '--output', join(home, 'export.jsonl'));
  await timeRun({
    ...{ name: 'svc serve', args: [program, 'serve', '--plain'], env, cwd: home },
    // Creates a log.
    ready: /listening on/,
  });
  cpSync(workspace, copies.notes, { recursive: true, preserveTimestamps: true });
  for (const name of REBUILDABLE) rmSync(join(home, name), { recursive: true, force: true });
  replace(copies.fresh, home);
  svc('memory', 'index');
  svc('memory', 'search', 'nightly backup');
  replace(copies.warm, home);
  return {
    home,
    env,
    facts: {
      home,
      note,
      claim: ONCE_ASKED,
      flow,
      queuedTask: task,
      claimedTask: claimed.task.taskId,
      leaseToken: claimed.leaseToken,
      failedTask: failing.task.taskId,
      delivery,
      clientId: '',
      listener: '',
    },
    toFresh: () => {
      replace(workspace, copies.notes);
      replace(home, copies.fresh);
    },
    toWarm: (changed) => {
      replace(home, copies.warm);
      if (changed === 'state') return;
      replace(workspace, copies.notes);
      svc('memory', 'index');
    },
  };
}

/** @returns its ID */
function recordDelivery(home: string): string {
  const atMs = Date.now();
  const answered = { routeId: 'ci', requestId: 'bench', clientIp: '127.0.0.1', ms: 2 };
  const outcome = { status: 200, code: null, reason: null, action: 'create_flow' };
  const body = Buffer.from('{"action":"create_flow","goal":"Build 1.2.3"}');
  const row = recordedDelivery(
    {
      answered: { ...answered, ...outcome },
      atMs,
      headers: { 'content-type': 'application/json' },
      delivery: { body, event: undefined, id: undefined },
      flowId: null,
      replayOf: null,
    },
    createSecretMask(),
    body.length,
  );
  const file = DeliveryFile.open(deliveriesFile(home));
  const limits = resolveConfig({}).plugins.entries.webhooks.config.deliveries;
  file.add([row], limits, atMs);
  file.close();
  return row.id;
}

/** Makes a folder an exact copy of another. */
function replace(folder: string, source: string): void {
  rmSync(folder, { recursive: true, force: true });
  cpSync(source, folder, { recursive: true, preserveTimestamps: true });
}

function configuration(workspace: string, provider: string): object {
  const ci = { sessionKey: 'agent:main:ci', secret: SECRET };
  const routes = { ci, mapped: { ...ci, map: [] } };
  const bench = { api: 'openai', baseUrl: provider, apiKey: SECRET, models: [{ id: 'instant' }] };
  return {
    agents: { defaults: { workspace, memorySearch: { provider: 'none' } } },
    models: { providers: { bench } },
    gateway: { port: 0 },
    schedules: { nightly: { cron: '0 3 * * *', route: 'ci', set: { goal: 'Check' } } },
    plugins: {
      entries: {
        'active-memory': { enabled: true, config: { agents: ['main'] } },
        'memory-core': { config: { dreaming: { enabled: true } } },
        webhooks: { enabled: true, config: { routes } },
      },
    },
  };
}

/** Writes notes, including a daily note that searches recalled. @returns the path of that note */
function writeMemory(home: string, workspace: string): string {
  writeNotes(join(workspace, 'memory/projects'), NOTES_BYTES);
  const nowMs = Date.now();
  const day = new Date(nowMs - 2 * DAY_MS).toISOString().slice(0, 10);
  const note = `memory/${day}.md`;
  const lines = [`# ${day}`, '', '## Operations', '', `- ${OFTEN_ASKED}`, `- ${ONCE_ASKED}`, ''];
  writeFileSync(join(workspace, note), lines.join('\n'));
  const { recallLog } = dreamWorkspace(workspace, { stateDir: home }).files;
  const ask = (text: string, query: string, daysAgo: number): void => {
    const line = lines.indexOf(`- ${text}`) + 1;
    const place = { source: 'memory', path: note, startLine: line, endLine: line } as const;
    appendRecall(recallLog, {
      atMs: nowMs - daysAgo * DAY_MS,
      queryHash: queryHashOf(query),
      claims: [{ text, ...place, score: 0.9 }],
    });
  };
  const queries = ['backup time', 'nightly job', 'storage jobs', 'when', '2:30'];
  for (const [at, query] of queries.entries()) ask(OFTEN_ASKED, query, at * 0.9);
  ask(ONCE_ASKED, 'who owns billing', 1);
  return note;
}

function questionsAbout(note: string): string {
  const question = { question: 'when does the nightly backup run', expect: [note] };
  return `${JSON.stringify(question)}\n`;
}

/** Creates flows, one with tasks: the first two are claimed later, the third stays queued. */
async function makeFlows(home: string): Promise<{ readonly flow: string; readonly task: string }> {
  const flows = await openFlows(contextOf(home), resolveConfig({}));
  const caller = {
    sessionKey: 'agent:main:ci',
    controllerId: 'webhooks/ci',
    actor: { kind: 'route', name: 'ci' },
  } as const;
  const idIn = (answer: unknown, name: string): string =>
    new RegExp(`"${name}":"([^"]+)"`).exec(JSON.stringify(answer))?.[1] ?? '';
  const create = (goal: string): Promise<unknown> =>
    flows.perform({ action: 'create_flow', goal }, caller);
  for (let n = 0; n < 20; n++) await create(`goal ${n}`);
  const flow = idIn(await create('Publish the digest'), 'flowId');
  const add = (task: string): Promise<unknown> =>
    flows.perform({ action: 'run_task', flowId: flow, runtime: 'subagent', task }, caller);
  for (const task of ['read', 'write']) await add(task);
  const task = idIn(await add('send'), 'taskId');
  await flows.close();
  return { flow, task };
}
