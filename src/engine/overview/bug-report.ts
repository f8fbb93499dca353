import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { inspectConfig, loadConfig, showConfig } from '../config/index.js';
import { messageOf, SvcError, skipSvcError, systemReason } from '../errors/index.js';
import { MASK, type SecretMask } from '../masking/index.js';
import { openAllMemories } from '../memory/index.js';
import { checkSecrets } from '../secrets/check-secrets.js';
import { storageStatus } from '../storage/storage-status.js';
import { type EngineContext, typedPath } from '../support/context.js';
import { PRIVATE_MODE } from '../support/files.js';
import { resolveConfiguredPath } from '../support/paths.js';
import { replaceFile } from '../support/replace-file.js';
import { aboutProgram, type ProcessFacts } from './about.js';
import { recentLogs, stateFolderFacts, type TarFile, tarOf } from './bug-report-files.js';
import type { BugReportOutput } from './output-schemas.js';
import { overallStatus, overallStatusOutput } from './overall-status.js';

export interface BugReportOptions extends PartOptions {
  /** Relative to the current folder; undefined uses a name with the current time. */
  readonly output?: string | undefined;
  /** The mask that learns secrets through the context. */
  readonly mask: SecretMask;
}

interface WrittenPart {
  readonly entry: BugReportOutput['entries'][number];
  readonly file: TarFile;
}

/**
 * Writes an archive with what is needed to investigate a problem, without secrets and without text of
 * notes. A part that fails contains its error.
 *
 * @throws SvcError REPORT_WRITE_FAILED, or the signal's reason
 */
export async function writeBugReport(
  context: EngineContext,
  options: BugReportOptions,
): Promise<BugReportOutput> {
  const parts = await makeParts(context, options);
  const isSafe = parts.some(({ entry }) => entry.name === SECRETS_PART && entry.error === null);
  const logFile = await configuredLog(context, options.configFile);
  const logs = recentLogs(context.state.stateDir, logFile).map(({ name, content }) => {
    const text = isSafe ? options.mask.text(withoutCitations(content.toString('utf8'))) : '';
    const error = isSafe
      ? null
      : 'it may contain secrets that svc does not know, so it was left out';
    return writtenPart({ name, description: 'the end of a log' }, text, error, context.homeDir);
  });
  const all = [...parts, ...logs];
  const nowMs = context.clock.now();
  const files = all.map(({ file }) => file);
  const archive = gzipSync(tarOf(files, nowMs));
  const file =
    options.output === undefined
      ? defaultFile(context.cwd, nowMs)
      : typedPath(options.output, context);
  writeArchive(file, archive);
  return { file, bytes: archive.length, entries: all.map(({ entry }) => entry) };
}

async function makeParts(
  context: EngineContext,
  options: BugReportOptions,
): Promise<readonly WrittenPart[]> {
  const { mask, signal } = options;
  const parts: WrittenPart[] = [];
  // In sequence: the secrets of the first part are masked in all later ones.
  for (const part of bugReportParts(context, options)) {
    const { value, error } = await outcomeOf(part.make, signal);
    const text = `${JSON.stringify(mask.data(value), null, 2)}\n`;
    parts.push(writtenPart(part, text, error === null ? null : mask.text(error), context.homeDir));
  }
  return parts;
}

/** The path of a home folder contains the name of its user, so `~` replaces it. */
function writtenPart(
  { name, description }: Pick<WrittenPart['entry'], 'description' | 'name'>,
  text: string,
  error: string | null,
  homeDir: string,
): WrittenPart {
  const content = Buffer.from(withoutHome(text, homeDir));
  const why = error === null ? null : withoutHome(error, homeDir);
  return {
    entry: { name, description, bytes: content.length, error: why },
    file: { name, content },
  };
}

async function outcomeOf(make: BugReportPart['make'], signal: AbortSignal) {
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

/** The configured log; undefined where the configuration cannot be read. */
async function configuredLog(
  context: EngineContext,
  configFile: string | undefined,
): Promise<string | undefined> {
  // Another part reports a broken configuration.
  const loaded = await loadConfig(context, { configFile }).catch(skipSvcError);
  const file = loaded?.resolved.logging.file;
  return loaded && file && resolveConfiguredPath(loaded, file, context);
}

function withoutHome(text: string, homeDir: string): string {
  if (homeDir.length <= 1) return text;
  return text.replaceAll(homeDir, '~').replaceAll(JSON.stringify(homeDir).slice(1, -1), '~');
}

/** The log of the MCP server cites what agents added, and a citation names a note. */
function withoutCitations(log: string): string {
  return log.replaceAll(/(?<="citation":")(?:[^"\\]|\\.)*/gu, MASK);
}

/** `svc-bug-report-20260203-090528.tar.gz`, in UTC; the second one of the same second ends with `-2`. */
function defaultFile(folder: string, nowMs: number): string {
  const [day = '', time = ''] = new Date(nowMs).toISOString().replaceAll(/[-:]/gu, '').split('T');
  const name = join(folder, `svc-bug-report-${day}-${time.slice(0, 6)}`);
  let file = `${name}.tar.gz`;
  for (let number = 2; existsSync(file); number += 1) file = `${name}-${number}.tar.gz`;
  return file;
}

function writeArchive(file: string, archive: Buffer): void {
  if (existsSync(file)) {
    throw new SvcError('REPORT_WRITE_FAILED', `${file} already exists`, {
      hint: 'choose another file with --output FILE',
    });
  }
  try {
    replaceFile(file, archive, PRIVATE_MODE);
  } catch (cause) {
    throw new SvcError('REPORT_WRITE_FAILED', `cannot write ${file}: ${systemReason(cause)}`, {
      hint: 'choose another file with --output FILE',
      cause,
    });
  }
}

interface PartOptions {
  readonly facts: ProcessFacts;
  /** The file named by `--config`. */
  readonly configFile?: string | undefined;
  readonly signal: AbortSignal;
}

interface BugReportPart {
  readonly name: string;
  /** Its content, for people. */
  readonly description: string;
  /** Returns plain JSON data, with secrets not yet masked. */
  readonly make: () => unknown;
}

/** The part that reads every secret, so that the mask knows them all. */
const SECRETS_PART = 'secrets.json';

/** The parts of a bug report besides logs, the secrets first. */
function bugReportParts(context: EngineContext, options: PartOptions): readonly BugReportPart[] {
  const { configFile, facts, signal } = options;
  return [
    {
      name: SECRETS_PART,
      description: 'where secrets are stored and whether they can be read, without values',
      make: () => checkSecrets(context, { configFile, signal }),
    },
    {
      name: 'version.json',
      description: 'versions, platform, paths, native modules',
      make: () => aboutProgram(context, facts, configFile),
    },
    {
      name: 'config.json',
      description: 'the effective configuration, secrets masked',
      make: () => showConfig(context, { configFile, origins: false }),
    },
    {
      name: 'config-faults.json',
      description: 'faults and warnings of the configuration file',
      make: async () => {
        const { file, faults, warnings } = await inspectConfig(context, { configFile });
        return { file, faults, warnings };
      },
    },
    {
      name: 'status.json',
      description: 'agents, indexes, services, faults; counts of files, no names',
      make: () => statusPart(context, configFile),
    },
    {
      name: 'storage.json',
      description: 'where memories and flows are stored; the server, its sizes and connections',
      make: async () => storageStatus(context, await loadConfig(context, { configFile })),
    },
    {
      name: 'state.json',
      description: 'names, sizes and permissions of the files of svc; free space',
      make: () => ({
        state: stateFolderFacts(context.state.stateDir),
        ...(context.state.cacheDir === context.state.stateDir
          ? {}
          : { cache: stateFolderFacts(context.state.cacheDir) }),
      }),
    },
    {
      name: 'environment.json',
      description: 'names of environment variables that affect svc, without values',
      make: () => ({ set: relevantVariables(context.env) }),
    },
  ];
}

/** The state of all agents, without file names of notes, which can reveal their content. */
async function statusPart(context: EngineContext, configFile: string | undefined) {
  const memories = await openAllMemories(context, { configFile });
  try {
    const { agents, ...rest } = overallStatusOutput(
      await overallStatus(memories, { context, configFile }),
    );
    return {
      ...rest,
      agents: agents.map(({ staleness, skipped, frontMatter, media, ...agent }) => ({
        ...agent,
        ...(staleness === undefined ? {} : { staleness: { ...staleness, examples: [] } }),
        skipped: skipped.map(({ reason }) => reason),
        frontMatter: frontMatter.length,
        media: media && { ...media, refused: media.refused.length },
      })),
    };
  } finally {
    for (const { backend } of memories) await backend.close();
  }
}

const VARIABLES =
  /^(?:SVC_|XDG_|AWS_|LC_)|^(?:CI|CLICOLOR_FORCE|EDITOR|FORCE_COLOR|HOME|HTTPS?_PROXY|LANG|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|NO_COLOR|NO_PROXY|OLLAMA_HOST|PATH|TERM|TMPDIR|TZ|VISUAL)$|_(?:KEY|TOKEN)$/iu;

function relevantVariables(env: EngineContext['env']): readonly string[] {
  return Object.keys(env)
    .filter((name) => VARIABLES.test(name))
    .toSorted();
}
