import { homedir, hostname, release, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { activityFolder, activityRecorder } from '../engine/activity/index.js';
import { messageOf, SvcError } from '../engine/errors/index.js';
import type { ProgramFacts } from '../engine/integrate/index.js';
import type { SecretMask } from '../engine/masking/index.js';
import type { Lookup, MemoryContext, OnRecall } from '../engine/memory/index.js';
import type { ProcessFacts } from '../engine/overview/about.js';
import type { ServerContext } from '../engine/postgres/index.js';
import type { Platform } from '../engine/providers/local/runtime/store.js';
import {
  type EngineContext,
  resolveStatePaths,
  stateVariables,
} from '../engine/support/context.js';
import { lastingProgram, withoutShell } from '../engine/support/paths.js';
import { writeStderr } from './stderr.js';

/**
 * The only place that reads the process; the engine gets everything from here.
 *
 * @param mask gets every secret that is read, and masks them in what is logged
 * @throws SvcError SYSTEM_REFUSED without a home folder
 */
export function createContext(
  mask: SecretMask,
  showConnecting?: ServerContext['showConnecting'],
): MemoryContext & ServerContext {
  const env = process.env;
  const homeDir = resolve(env['HOME'] || systemHome());
  const state = resolveStatePaths(env, homeDir);
  const context: MemoryContext & ServerContext = {
    env,
    cwd: process.cwd(),
    homeDir,
    hostName: hostname(),
    state,
    clock: { now: Date.now },
    servers: new Map(),
    showConnecting,
    onSecret: mask.learn,
    onRecall: (recall) => recordRecall(recall, context),
    onLookup: (lookup) => logLookup(lookup, context, mask),
    onActivity: activityRecorder(activityFolder(state), Date.now, (why) =>
      writeStderr(`warning: ${why}\n`),
    ),
  };
  return context;
}

/** The home folder that the system knows. Users of containers may have none. */
function systemHome(): string {
  try {
    // An empty HOME counts as unset.
    return homedir() || userInfo().homedir;
  } catch (cause) {
    throw new SvcError('SYSTEM_REFUSED', 'there is no home folder: HOME is not set', {
      hint: 'set HOME to a folder that you can write to',
      cause,
    });
  }
}

/** Loaded after the response is printed, so that no search waits for it or fails because of it. */
async function recordRecall(
  recall: Parameters<OnRecall>[0],
  context: EngineContext,
): Promise<void> {
  try {
    const { logRecall } = await import('../engine/dreaming/recall-log/recalled-claims.js');
    await logRecall(recall, context);
  } catch (error) {
    writeStderr(`warning: this search was not recorded for dreaming: ${messageOf(error)}\n`);
  }
}

/** Loaded after the response as well, and only where `memory.searchLog` is on. */
async function logLookup(
  { agentId, ...lookup }: Lookup,
  { state, clock }: EngineContext,
  mask: SecretMask,
): Promise<void> {
  try {
    const log = await import('../engine/memory/lookups/search-log.js');
    const file = log.searchLogFile(state, agentId);
    const atMs = clock.now();
    await log.retryWhileBusy(() => {
      if (lookup.type === 'get') log.logOpened(file, lookup.response, atMs);
      else log.logSearch(file, lookup.response, { atMs, mask: mask.text });
    });
  } catch (error) {
    writeStderr(`warning: this was not added to the search log: ${messageOf(error)}\n`);
  }
}

/** The variables that services and cron must set for svc to find its state. */
export function serviceVariables(context: EngineContext): Readonly<Record<string, string>> {
  // They set the account's home folder themselves.
  const home = context.homeDir === account().homeDir ? {} : { HOME: context.homeDir };
  return { ...home, ...stateVariables(context) };
}

/** The account of the user. One of a container may have none; systemd takes the number for its name. */
export function account(): { readonly name: string; readonly homeDir: string | undefined } {
  try {
    const { username, homedir } = userInfo();
    return { name: username, homeDir: homedir };
  } catch {
    return { name: String(process.getuid?.()), homeDir: undefined };
  }
}

/** The platform of this machine. */
export function currentPlatform(): Platform {
  const { platform: os, arch } = process;
  return { os, arch, glibc: os === 'linux' && hasGlibc() };
}

/** Node's report includes the glibc version, if that is the C library. */
function hasGlibc(): boolean {
  const { report } = process;
  if (report === undefined) return true;
  // Resolving network addresses would take seconds.
  const before = Reflect.get(report, 'excludeNetwork');
  Reflect.set(report, 'excludeNetwork', true);
  const text: unknown = report.getReport();
  Reflect.set(report, 'excludeNetwork', before);
  const header: unknown = Reflect.get(Object(text), 'header');
  return Reflect.get(Object(header), 'glibcVersionRuntime') !== undefined;
}

/** How this program was started, so that other programs can start it again. */
export function programFacts(): ProgramFacts {
  const { execPath, argv, env } = process;
  const script = withoutShell(resolve(argv[1] ?? ''));
  // A standalone executable is its own script.
  return { node: script === execPath ? undefined : lastingProgram(execPath, env), script };
}

/** The words that start this program, before its arguments. */
export function programWords(): readonly [string, ...string[]] {
  const { node, script } = programFacts();
  return node === undefined ? [script] : [node, script];
}

/**
 * The words that make another svc use the same configuration: `--config` with an absolute path, if it was passed to
 * this one.
 *
 * @param flag the value of `--config`
 * @param file the file that was loaded
 */
export function configWords(flag: string | undefined, file: string | undefined): readonly string[] {
  return flag === undefined || file === undefined ? [] : ['--config', file];
}

/** Facts about this process. @param root absolute path of the package */
export function processFacts(root: string): ProcessFacts {
  return {
    root,
    nodeVersion: process.versions.node,
    nodePath: process.execPath,
    platform: currentPlatform(),
    release: release(),
  };
}
