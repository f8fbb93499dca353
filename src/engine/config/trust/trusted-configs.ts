import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { SvcError, systemErrorCode } from '../../errors/index.js';
import type { EngineContext } from '../../support/context.js';
import { PRIVATE_MODE, replaceFile } from '../../support/files.js';
import { parsedJson } from '../../support/text.js';
import { placeOfConfig } from '../discovery.js';

/** A configuration file that the user trusts. */
const trustedConfig = z.object({
  /** Absolute path with the links of its folder resolved. */
  file: z.string(),
  /** Hash of its risky keys when it was trusted. */
  digest: z.string(),
  trustedAtMs: z.number(),
});
type TrustedConfig = Readonly<z.infer<typeof trustedConfig>>;

/** The record of a file, if it is readable. */
export function findTrusted(stateDir: string, file: string): TrustedConfig | undefined {
  const record = readRecord(recordOf(stateDir, file));
  return record?.file === file ? record : undefined;
}

export function listTrust({ state }: EngineContext): readonly TrustedConfig[] {
  const { stateDir } = state;
  let names: readonly string[];
  try {
    names = readdirSync(folderOf(stateDir));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
  return names
    .flatMap((name) => readRecord(join(folderOf(stateDir), name)) ?? [])
    .filter(({ file }) => findTrusted(stateDir, file) !== undefined)
    .toSorted((a, b) => (a.file < b.file ? -1 : 1));
}

/** Trusts what was reviewed. @throws SvcError STATE_UNWRITABLE */
export function trustReviewed(
  { state, clock }: Pick<EngineContext, 'state' | 'clock'>,
  { file, digest }: Pick<TrustedConfig, 'file' | 'digest'>,
): void {
  const record: TrustedConfig = { file, digest, trustedAtMs: clock.now() };
  writing(state.stateDir, () => {
    mkdirSync(folderOf(state.stateDir), { recursive: true, mode: 0o700 });
    replaceFile(recordOf(state.stateDir, file), `${JSON.stringify(record)}\n`, PRIVATE_MODE);
  });
}

/** Returns whether the file was trusted. @throws SvcError STATE_UNWRITABLE */
export function revokeTrust({ state: { stateDir } }: EngineContext, file: string): boolean {
  const place = placeOfConfig(file);
  const isTrusted = findTrusted(stateDir, place) !== undefined;
  writing(stateDir, () => rmSync(recordOf(stateDir, place), { force: true }));
  return isTrusted;
}

function folderOf(stateDir: string): string {
  return join(stateDir, 'trusted-configs');
}

/** One file per record, so that processes do not overwrite each other's changes. */
function recordOf(stateDir: string, file: string): string {
  return join(folderOf(stateDir), `${createHash('sha256').update(file).digest('hex')}.json`);
}

function readRecord(path: string): TrustedConfig | undefined {
  try {
    return trustedConfig.safeParse(parsedJson(readFileSync(path, 'utf8'))).data;
  } catch (error) {
    // An unreadable record does not count.
    if (systemErrorCode(error) === undefined) throw error;
    return undefined;
  }
}

function writing(stateDir: string, work: () => void): void {
  try {
    work();
  } catch (cause) {
    const folder = folderOf(stateDir);
    throw new SvcError(
      'STATE_UNWRITABLE',
      `cannot write to ${folder} (${systemErrorCode(cause) ?? 'unknown error'})`,
      { hint: `check the permissions of ${stateDir} and its free disk space`, cause },
    );
  }
}
