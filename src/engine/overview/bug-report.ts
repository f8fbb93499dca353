import { dirname, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { resolvePath } from '../config/expand-path.js';
import { loadConfig } from '../config/index.js';
import type { EngineContext } from '../context.js';
import { messageOf, SvcError, systemErrorCode } from '../errors/index.js';
import { PRIVATE_MODE, replaceFile } from '../replace-file.js';
import type { SecretMask } from '../secrets/mask/secret-mask.js';
import {
  type BugReportPart,
  bugReportParts,
  type PartOptions,
  SECRETS_PART,
} from './bug-report-parts.js';
import { recentLogs } from './recent-logs.js';
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
export interface BugReportOptions extends PartOptions {
  /** Relative to the current folder; undefined makes a name of the time. */
  readonly output?: string | undefined;
  /** The one that hears of secrets through the context. */
  readonly mask: SecretMask;
}

interface Made {
  readonly entry: BugReportEntry;
  readonly file: TarFile;
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
  const parts = await madeParts(context, options);
  const isSafe = parts.some(({ entry }) => entry.name === SECRETS_PART && entry.error === null);
  const logFile = await configuredLog(context, options.configFile);
  const logs = recentLogs(context.state.stateDir, logFile).map((log) =>
    madeLog(log, isSafe ? options.mask : undefined, context.homeDir),
  );
  const made = [...parts, ...logs];
  const nowMs = context.clock.now();
  const files = made.map(({ file }) => file);
  const archive = gzipSync(tarOf(files, nowMs));
  const file = resolve(context.cwd, options.output ?? usualName(nowMs));
  write(file, archive);
  return { file, bytes: archive.length, entries: made.map(({ entry }) => entry) };
}

async function madeParts(
  context: EngineContext,
  options: BugReportOptions,
): Promise<readonly Made[]> {
  const { mask, signal } = options;
  const { homeDir } = context;
  const made: Made[] = [];
  // One after the other: what the first reads is masked in all that follow.
  for (const { name, holds, make } of bugReportParts(context, options)) {
    const outcome = await outcomeOf(make, signal);
    const json = JSON.stringify(mask.data(outcome.value), null, 2);
    const content = Buffer.from(`${withoutHome(json, homeDir)}\n`);
    const error = outcome.error === null ? null : withoutHome(mask.text(outcome.error), homeDir);
    made.push({ entry: { name, holds, bytes: content.length, error }, file: { name, content } });
  }
  return made;
}

/** @param mask undefined when it may not know all secrets: the log is left out then */
function madeLog(log: TarFile, mask: SecretMask | undefined, homeDir: string): Made {
  const { name } = log;
  const text = mask === undefined ? '' : mask.text(log.content.toString('utf8'));
  const content = Buffer.from(withoutHome(text, homeDir));
  const error = mask === undefined ? 'left out: which secrets are in it is not known' : null;
  const entry = { name, holds: 'the end of a log', bytes: content.length, error };
  return { entry, file: { name, content } };
}

async function outcomeOf(
  make: BugReportPart['make'],
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
  if (homeDir.length <= 1) return text;
  return text.replaceAll(homeDir, '~').replaceAll(JSON.stringify(homeDir).slice(1, -1), '~');
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
