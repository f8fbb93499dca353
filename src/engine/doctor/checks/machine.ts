import { utimes } from 'node:fs/promises';
import type { ResolvedAgent } from '../../config/index.js';
import { unlessSvcError } from '../../errors/index.js';
import type { SourceFile } from '../../memory/index.js';
import { memorySourcesOf, scanMemoryFiles } from '../../memory/sources/index.js';
import { runtimeState, runtimesDir } from '../../providers/local/runtime/store.js';
import { sqliteDriver, sqliteVersion, withEmptyDatabase } from '../../sqlite/database.js';
import { queryColumn } from '../../sqlite/query.js';
import type { EngineContext } from '../../support/context.js';
import { formatCountOf } from '../../support/format.js';
import { shortList } from '../../support/text.js';
import { changeLines } from '../../support/text-diff.js';
import { iso, MS_PER_DAY } from '../../support/time.js';
import { check, type DoctorWorld, type Finding, type Fix, faultOf, finding } from '../check.js';

/** svc is not older than this; some archives keep no file times. */
const FIRST_SVC_MS = Date.UTC(2025, 0, 1);
/** Clocks of file servers can be ahead. */
const TOLERATED_MS = MS_PER_DAY;
const MOST_NAMED = 3;

/** Whether the clock is plausible and no note was modified in the future. */
export const clock = check('clock', async (world) => {
  const nowMs = world.context.clock.now();
  const summary = `${iso(nowMs).slice(0, 'yyyy-mm-ddThh:mm'.length).replace('T', ' ')} UTC`;
  const earliestMs = Math.max(FIRST_SVC_MS, world.host.programWrittenMs - TOLERATED_MS);
  if (nowMs < earliestMs) return { summary, findings: [wrongClock(nowMs, earliestMs)] };
  return { summary, findings: world.agents.map((agent) => fromFuture(agent, world, nowMs)) };
});

function wrongClock(nowMs: number, earliestMs: number): Finding {
  const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  return finding('clock-wrong', 'fault', {
    message: `the clock shows ${dayOf(nowMs)}, but this svc was built after ${dayOf(earliestMs)}`,
    cause: 'certificates appear invalid, logins expired and changed notes unchanged',
    hint: 'set the clock, for instance with: timedatectl set-ntp true',
  });
}

function fromFuture(
  agent: ResolvedAgent,
  { context }: DoctorWorld,
  nowMs: number,
): Finding | undefined {
  const files = filesOf(agent, context).filter((file) => file.mtimeMs > nowMs + TOLERATED_MS);
  const [first] = files;
  if (first === undefined) return undefined;
  const paths = files.map((file) => file.path);
  return finding('modified-in-future', 'warning', {
    message: `notes of agent ${agent.id} have a modification time in the future: ${shortList(paths, MOST_NAMED)}`,
    cause: 'they rank as the newest notes',
    place: { file: first.absolutePath },
    hint: 'touch the files, or set the clock if it is behind',
    fix: touchFix(files, nowMs),
  });
}

function filesOf(agent: ResolvedAgent, context: EngineContext): readonly SourceFile[] {
  const scan = () => scanMemoryFiles(memorySourcesOf(agent, 'agent', context).memory);
  // The check of workspaces reports a failure.
  return unlessSvcError(scan)?.files ?? [];
}

/** Not safe: the times belong to the user, and the clock may be wrong instead. */
function touchFix(files: readonly SourceFile[], nowMs: number): Fix {
  return {
    title: `set the modification time of ${formatCountOf(files.length, 'file')} to now`,
    safe: false,
    diff: changeLines(
      files.map((file) => `${file.absolutePath}  ${iso(file.mtimeMs)}`),
      files.map((file) => `${file.absolutePath}  ${iso(nowMs)}`),
    ),
    changes: 'state',
    apply: async () => {
      for (const { absolutePath } of files) {
        await utimes(absolutePath, nowMs / 1000, nowMs / 1000);
      }
    },
  };
}

/**
 * The versions of Node.js and SQLite. svc does not start on a Node.js that is too old, and no driver has a SQLite that is,
 * but a Node.js can use that of the system, without full-text search.
 */
export const runtime = check('runtime', async () => {
  const sqlite = sqliteFacts();
  const words = sqlite === undefined ? '' : `, SQLite ${sqlite.version}`;
  return {
    summary: `Node.js ${process.versions.node}${words}`,
    findings: sqlite?.hasFullText === false ? [WITHOUT_FULL_TEXT] : [],
  };
});

const WITHOUT_FULL_TEXT = finding('sqlite-without-fts', 'fault', {
  message: 'this SQLite has no full-text search',
  hint: 'reinstall svc, which includes SQLite',
});

function sqliteFacts() {
  try {
    return withEmptyDatabase((database) => {
      const options = queryColumn<string>(database, 'PRAGMA compile_options');
      const hasFullText = options.includes('ENABLE_FTS5');
      return { version: sqliteVersion(database), hasFullText };
    });
  } catch {
    // The check of modules reports it.
    return undefined;
  }
}

/** Whether the native modules load. The vector extension has its own check. */
export const modules = check('modules', async (world) => {
  return { summary: driverWords(), findings: [sqlite(), localModels(world)] };
});

function driverWords(): string {
  try {
    const { name, why } = sqliteDriver();
    return why === null ? name : `${name}, since better-sqlite3 cannot be loaded: ${why}`;
  } catch {
    // A finding says why.
    return 'none';
  }
}

function sqlite(): Finding | undefined {
  try {
    return withEmptyDatabase(() => undefined);
  } catch (error) {
    return faultOf('sqlite-unusable', error);
  }
}

function localModels({ context, agents, host }: DoctorWorld): Finding | undefined {
  const localAgents = agents.filter(
    ({ memorySearch: { provider, fallback } }) => provider === 'local' || fallback === 'local',
  );
  const state = runtimeState(runtimesDir(context.state.stateDir), {
    os: host.platform,
    arch: process.arch,
  });
  if (localAgents.length === 0 || state.state === 'ready') return undefined;
  const isChosen = localAgents.some(({ memorySearch }) => memorySearch.provider === 'local');
  return finding('local-runtime-missing', isChosen ? 'fault' : 'warning', {
    message: `local models cannot run: ${state.why}`,
    hint: 'run "svc provider install local"',
  });
}
