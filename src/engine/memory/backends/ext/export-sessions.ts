import { hash } from 'node:crypto';
import { existsSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { DeepReadonly } from '../../../errors/output-schema.js';
import { makeFolders, namesIn, withFile } from '../../../support/files.js';
import { readJsonFile, writeJsonFile } from '../../../support/json-file.js';
import {
  removeStrayTemporaries,
  TEMPORARY_ENDING,
  temporaryFor,
} from '../../../support/replace-file.js';
import { SPEAKER } from '../../chunking/split-claims.js';
import {
  type ForgetPlaces,
  type Forgotten,
  forgetMark,
  readForgotten,
} from '../../forgotten/index.js';
import {
  scanTranscripts,
  skipOf,
  type TranscriptFile,
  type TranscriptScan,
  type TranscriptSources,
} from '../../sources/index.js';
import { turnsOf } from '../../sources/transcripts/read-conversation.js';
import type { SkippedFile } from '../../types.js';
import { oldestExportedMs } from './collections.js';

export interface ExportSettings {
  readonly transcripts: TranscriptSources;
  /** Absolute path of the target folder. */
  readonly exportDir: string;
  /** Conversations idle for longer are left out; undefined keeps all. */
  readonly retentionDays: number | undefined;
  /** Absolute path of the file that records what was exported. */
  readonly listFile: string;
  readonly forget: ForgetPlaces;
  readonly nowMs: number;
  /** Ends archiving early. */
  readonly signal?: AbortSignal | undefined;
}

/** What was exported of a transcript, by its path. */
const exportList = z.record(
  z.string(),
  z.object({
    /** Absolute path of the Markdown file. */
    file: z.string(),
    /** State of the transcript and of the forget list at the time of the export. */
    print: z.string(),
    /** The transcript is not part of this memory, so there is no file. */
    isEmpty: z.optional(z.boolean()),
  }),
);
type ExportList = DeepReadonly<z.infer<typeof exportList>>;

/**
 * Exports each conversation as Markdown, because the external program reads nothing else: who said what, with
 * secrets masked and without forgotten text. Conversations that grew are rewritten; exports of missing or
 * expired ones are removed. Other files in the folder are left alone.
 *
 * @returns the transcripts that could not be read
 * @throws the system's error when nothing can be written
 */
export async function exportSessions(settings: ExportSettings): Promise<readonly SkippedFile[]> {
  const { exportDir, retentionDays, listFile, forget, nowMs } = settings;
  const before = readList(listFile);
  const oldestMs = oldestExportedMs(retentionDays, nowMs);
  // Before the list, so that a change while it is read exports everything again.
  const mark = forgetMark(forget);
  const forgotten = await readForgotten(forget);
  const { files, skipped } = await archivedScan(settings, forgotten);
  makeFolders(exportDir);
  removeTemporaries(exportDir, nowMs);
  const after: Record<string, ExportList[string]> = {};
  const skips = [...skipped];
  for (const file of files) {
    if (file.mtimeMs < oldestMs) continue;
    const exported = {
      file: join(exportDir, `${exportName(file)}.md`),
      print: `${file.size}:${file.mtimeMs}:${mark}`,
    };
    const known = before[file.path];
    const isCurrent = known?.print === exported.print && known.file === exported.file;
    if (isCurrent && (known.isEmpty === true || existsSync(exported.file))) {
      after[file.path] = known;
      continue;
    }
    const outcome = exportSession(file, exported.file, forgotten);
    if (typeof outcome === 'object') skips.push(outcome);
    else after[file.path] = { ...exported, ...(outcome === 'empty' ? { isEmpty: true } : {}) };
  }
  const kept = new Set(Object.values(after).flatMap((one) => (one.isEmpty ? [] : one.file)));
  for (const { file } of Object.values(before)) if (!kept.has(file)) rmSync(file, { force: true });
  writeJsonFile(listFile, after);
  return skips;
}

/** Removes leftovers of killed exports, also under the names of version 0.1: no other process exports now. */
function removeTemporaries(exportDir: string, nowMs: number): void {
  removeStrayTemporaries(exportDir, nowMs);
  for (const name of namesIn(exportDir)) {
    if (name.endsWith(`.md${TEMPORARY_ENDING}`)) rmSync(join(exportDir, name), { force: true });
  }
}

/** Archives the transcripts that agents still have, and lists all. */
async function archivedScan(
  { transcripts, nowMs, signal }: ExportSettings,
  forgotten: Forgotten,
): Promise<TranscriptScan> {
  const scan = scanTranscripts(transcripts);
  if (transcripts.archive?.isBehind(scan.live, nowMs) !== true) return scan;
  const leftOf = (text: string): string => forgotten.removeFrom(text);
  const skip = await transcripts.archive.update(scan.live, { leftOf, nowMs, signal });
  const { files, skipped } = scanTranscripts(transcripts);
  return { files, skipped: skip === undefined ? skipped : [...skipped, skip] };
}

/** Removes all exports and nothing else. */
export function removeExports(listFile: string): void {
  if (!existsSync(listFile)) return;
  for (const { file } of Object.values(readList(listFile))) rmSync(file, { force: true });
  rmSync(listFile, { force: true });
}

/** The transcript's own name, if it is a valid and unique file name. */
function exportName({ path, place, turns }: TranscriptFile): string {
  const below = path.slice(place.label.length + 1);
  const name = below.replace(/\.jsonl$/u, '');
  if (place.reader === 'svc' && turns === undefined && /^[\p{L}\p{N}_-]+$/u.test(name)) return name;
  const plain = name.replaceAll(/[^\p{L}\p{N}_-]+/gu, '-').slice(0, MOST_NAME);
  return `${plain}-${hash('sha256', path, 'hex').slice(0, 8)}`;
}

/** Characters of the name before its hash. */
const MOST_NAME = 100;

/** @returns why it was not written, if it was not */
function exportSession(
  file: TranscriptFile,
  target: string,
  forgotten: Forgotten,
): SkippedFile | 'empty' | 'written' {
  let said: readonly string[];
  try {
    said = Array.from(turnsOf(file), ({ role, at, text }) => {
      const left = forgotten.removeFrom(text).trim();
      return left === '' ? '' : `\n${role}${at === undefined ? '' : ` (${at})`}: ${left}\n`;
    });
  } catch (error) {
    return { ...skipOf(file.absolutePath, error), path: file.path };
  }
  if (said.every((text) => text === '')) return 'empty';
  const temporary = temporaryFor(target);
  try {
    // A part at a time, since a string has a limit.
    withFile(temporary, 'wx', (output) => {
      for (const text of [`# Session ${exportName(file)}\n`, ...said]) writeSync(output, text);
    });
    renameSync(temporary, target);
    return 'written';
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** The texts of the turns in lines of an export, without its heading. */
export function exportedTurns(text: string): readonly string[] {
  const said = text.split(SPEAKER).map((turn) => turn.trim());
  return said.filter((turn) => turn !== '' && !HEADING.test(turn));
}

const HEADING = /^# Session \S+$/u;

/** What was exported before. If the record is missing or broken, everything is exported again. */
function readList(listFile: string): ExportList {
  return exportList.safeParse(readJsonFile(listFile)).data ?? {};
}
