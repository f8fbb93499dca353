import { dirname, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { resolvePath } from '../config/expand-path.js';
import { inspectConfig, loadConfig, showConfig } from '../config/index.js';
import type { EngineContext } from '../context.js';
import { messageOf, SvcError, systemErrorCode } from '../errors/index.js';
import { openAllMemories } from '../memory/open-memory.js';
import { PRIVATE_MODE, replaceFile } from '../replace-file.js';
import { checkSecrets } from '../secrets/check-secrets.js';
import type { SecretMask } from '../secrets/mask/secret-mask.js';
import { aboutProgram, type ProcessFacts } from './about.js';
import { overallStatusOutput } from './output.js';
import { overallStatus } from './overall-status.js';
import { recentLogs } from './recent-logs.js';
import { stateFolderFacts } from './state-files.js';
import { type TarFile, tarOf } from './tar.js';

/** One file of the archive, as it is told of. */
export interface BugReportEntry {
  readonly name: string;
  /** What it holds, for people. */
  readonly holds: string;
  readonly bytes: number;
  /** Why it could not be made as it should be; the file holds the same. Null when it could. */
  readonly error: string | null;
}

/** An archive that was written. */
export interface BugReport {
  /** Absolute. */
  readonly file: string;
  readonly bytes: number;
  readonly entries: readonly BugReportEntry[];
}

/** What a bug report is made of and from. */
export interface BugReportOptions {
  readonly facts: ProcessFacts;
  /** The file named by `--config`. */
  readonly configFile?: string | undefined;
  /** Relative to the current folder; undefined makes a name of the time. */
  readonly output?: string | undefined;
  /** The one that hears of secrets through the context. */
  readonly mask: SecretMask;
  readonly signal: AbortSignal;
}

interface Part {
  readonly name: string;
  readonly holds: string;
  readonly make: () => unknown;
}

/**
 * Writes one archive with what somebody needs who looks into a fault, and with no secret and no line
 * of anybody's notes in it. Each part is made by itself: what is broken shows as its error.
 *
 * @throws SvcError REPORT_WRITE_FAILED, or the signal's reason
 */
export async function writeBugReport(
  context: EngineContext,
  options: BugReportOptions,
): Promise<BugReport> {
  const { mask, signal } = options;
  const hidden = (text: string): string => withoutHome(mask.text(text), context.homeDir);
  const made: { readonly entry: BugReportEntry; readonly file: TarFile }[] = [];
  const logFile = await configuredLog(context, options.configFile);
  // The secrets come first, so that all of them are known when the logs are read.
  for (const { name, holds, make } of partsOf(context, options)) {
    const { value, error } = await outcomeOf(make, signal);
    const json = JSON.stringify(mask.data(value), null, 2);
    const content = Buffer.from(`${hidden(json)}\n`);
    made.push({
      entry: { name, holds, bytes: content.length, error: error === null ? null : hidden(error) },
      file: { name, content },
    });
  }
  const knowsSecrets = made.some(({ entry }) => entry.name === SECRETS && entry.error === null);
  for (const { name, content } of recentLogs(context.state.stateDir, logFile)) {
    const holds = 'the end of a log';
    const masked = Buffer.from(knowsSecrets ? hidden(content.toString('utf8')) : '');
    const error = knowsSecrets ? null : 'left out: which secrets are in it is not known';
    made.push({
      entry: { name, holds, bytes: masked.length, error },
      file: { name, content: masked },
    });
  }
  const nowMs = context.clock.now();
  const archive = gzipSync(
    tarOf(
      made.map(({ file }) => file),
      nowMs,
    ),
  );
  const file = resolve(context.cwd, options.output ?? usualName(nowMs));
  write(file, archive);
  return { file, bytes: archive.length, entries: made.map(({ entry }) => entry) };
}

const SECRETS = 'secrets.json';

function partsOf(context: EngineContext, options: BugReportOptions): readonly Part[] {
  const { configFile, facts, signal } = options;
  return [
    {
      name: SECRETS,
      holds: 'where secrets are kept and whether they can be read, without values',
      make: () => checkSecrets(context, { configFile, signal }),
    },
    {
      name: 'version.json',
      holds: 'versions, platform, paths, native modules',
      make: () => aboutProgram(context, facts, configFile),
    },
    {
      name: 'config.json',
      holds: 'the configuration that holds, defaults included, secrets masked',
      make: () => showConfig(context, { configFile, origins: false }),
    },
    {
      name: 'config-faults.json',
      holds: 'faults and warnings of the configuration file',
      make: async () => {
        const { file, faults, warnings } = await inspectConfig(context, { configFile });
        return { file, faults, warnings };
      },
    },
    {
      name: 'status.json',
      holds: 'agents, indexes, services, faults; counts of files, no names',
      make: () => statusPart(context, configFile),
    },
    {
      name: 'state.json',
      holds: 'names, sizes and permissions of the files of svc itself; free space',
      make: () => ({
        state: stateFolderFacts(context.state.stateDir),
        ...(context.state.cacheDir === context.state.stateDir
          ? {}
          : { cache: stateFolderFacts(context.state.cacheDir) }),
      }),
    },
    {
      name: 'environment.json',
      holds: 'names of the variables that are set and concern svc, without values',
      make: () => ({ set: variablesThatCount(context.env) }),
    },
  ];
}

/** The state of all agents; names of notes are left out, since they are part of what they say. */
async function statusPart(context: EngineContext, configFile: string | undefined) {
  const memories = await openAllMemories(context, { configFile });
  try {
    const { agents, ...rest } = overallStatusOutput(
      await overallStatus(memories, context.state.stateDir),
    );
    return {
      ...rest,
      agents: agents.map(({ staleness, skipped, ...agent }) => ({
        ...agent,
        ...(staleness === undefined ? {} : { staleness: { ...staleness, examples: [] } }),
        skipped: skipped.map(({ reason }) => reason),
      })),
    };
  } finally {
    for (const { backend } of memories) await backend.close();
  }
}

const VARIABLES =
  /^(?:SVC_|XDG_|AWS_|LC_)|^(?:CI|EDITOR|FORCE_COLOR|HOME|HTTPS?_PROXY|LANG|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|NO_COLOR|NO_PROXY|OLLAMA_HOST|PATH|TERM|TMPDIR|TZ|VISUAL)$|_(?:KEY|TOKEN)$/iu;

function variablesThatCount(env: EngineContext['env']): readonly string[] {
  return Object.keys(env)
    .filter((name) => VARIABLES.test(name))
    .toSorted();
}

async function outcomeOf(
  make: Part['make'],
  signal: AbortSignal,
): Promise<{ readonly value: unknown; readonly error: string | null }> {
  signal.throwIfAborted();
  try {
    return { value: await make(), error: null };
  } catch (error) {
    signal.throwIfAborted();
    const message = messageOf(error);
    if (!(error instanceof SvcError)) {
      const stack = error instanceof Error ? error.stack : undefined;
      return { value: { error: { code: 'BUG', message, stack } }, error: message };
    }
    const { code, hint, location, details } = error;
    return { value: { error: { code, message, hint, location, details } }, error: message };
  }
}

/** The log that the configuration names; none where it cannot be read. */
async function configuredLog(
  context: EngineContext,
  configFile: string | undefined,
): Promise<string | undefined> {
  try {
    const { file, resolved } = await loadConfig(context, { configFile });
    const log = resolved.logging.file;
    const base = file === undefined ? context.cwd : dirname(file);
    return log === undefined ? undefined : resolvePath(log, base, context.homeDir);
  } catch (error) {
    // That it is broken is told by another part.
    if (error instanceof SvcError) return undefined;
    throw error;
  }
}

/** The name of the person is part of the path of their home folder. */
function withoutHome(text: string, homeDir: string): string {
  return homeDir.length > 1 ? text.replaceAll(homeDir, '~') : text;
}

/** `svc-bug-report-20260203-090528.tar.gz`, in UTC. */
function usualName(nowMs: number): string {
  const [day = '', time = ''] = new Date(nowMs).toISOString().replaceAll(/[-:]/gu, '').split('T');
  return `svc-bug-report-${day}-${time.slice(0, 6)}.tar.gz`;
}

function write(file: string, archive: Buffer): void {
  try {
    replaceFile(file, archive, PRIVATE_MODE);
  } catch (cause) {
    const code = systemErrorCode(cause) ?? 'unknown error';
    throw new SvcError('REPORT_WRITE_FAILED', `${file} could not be written (${code})`, {
      hint: 'name another place with --output FILE',
      cause,
    });
  }
}
