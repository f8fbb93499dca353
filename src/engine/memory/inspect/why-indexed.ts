import { existsSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { LocateSetting } from '../../config/index.js';
import { closing } from '../../support/async.js';
import { documentFormatOf } from '../../support/document-format.js';
import { formatCountOf } from '../../support/format.js';
import { isInside, pathBelow, realEntry, realOrGiven } from '../../support/paths.js';
import { isForgottenWhole } from '../forgotten/index.js';
import { lookUpDocument, lookUpIndexed, lookUpOther, ownTarget, readingsOf } from '../get/index.js';
import type { IndexHome } from '../home/index.js';
import { isDamage, isLeftOut, type MemoryIndex } from '../index/index.js';
import { documentName, parseCitation } from '../search/index.js';
import { skipWords } from '../skip-words.js';
import {
  absoluteFromDisplay,
  DREAM_REPORTS,
  displayPath,
  type ExcludeDecision,
  ignoredFolderIn,
  isIgnoreFile,
  kindOfName,
  type MemoryFilesOptions,
  type MemorySources,
  modalityOfName,
  resolveWorkspace,
  type Scan,
  scanSources,
  whyNoMemory,
} from '../sources/index.js';
import type { SkippedFile } from '../types.js';
import type { WhyOutput } from './output-schemas.js';
import type { ListedDocument } from './recent.js';

/** What decides which files belong to a memory, and what has indexed them. */
interface ExplainedMemory {
  readonly backend: { list(): Promise<readonly ListedDocument[]> };
  readonly home: IndexHome;
  readonly locate: LocateSetting;
  readonly sources: MemorySources;
}

type Why = Pick<WhyOutput, 'detail' | 'reason'> & {
  readonly decision?: ExcludeDecision | undefined;
};

/**
 * Whether a file belongs to a memory, and which rule decided. Changes nothing.
 *
 * @param target a path, absolute or relative to the workspace, or a citation
 * @param isExtFresh whether the external program that answers searches has indexed all files; it does not list them
 * @throws SvcError WORKSPACE_MISSING, WORKSPACE_UNREADABLE
 */
export async function whyIndexed(
  memory: ExplainedMemory,
  target: string,
  isExtFresh?: boolean,
): Promise<WhyOutput> {
  const { memory: files } = memory.sources;
  const workspaceDir = resolveWorkspace(files.workspaceDir);
  const own = ownTarget(target, memory.home.others);
  const fileAt = (name: string) => resolve(absoluteFromDisplay(workspaceDir, name));
  const readings = readingsOf(own).map(({ path }) => fileAt(path));
  const scan = scanSources(memory.sources);
  const named =
    readings.find((one) => existsSync(one)) ??
    inOtherForm(readings, scan) ??
    fileAt(parseCitation(own).path);
  const file = realEntry(named);
  const shown = displayPath(workspaceDir, file);
  const scanned = reasonOf({ file, named }, scan, workspaceDir, memory);
  if (scanned.reason === 'missing') {
    const known = await whyWithoutFile(memory, own, workspaceDir, isExtFresh);
    if (known !== undefined) return known;
  }
  const { indexed, skip, unused }: IndexState =
    isExtFresh === undefined
      ? await indexStateOf(memory, { path: shown, file, workspaceDir, files: scan.files })
      : { indexed: isExtFresh && scanned.reason === 'included' };
  const isUnread = scanned.reason === 'included' && !indexed && skip !== undefined;
  const { decision, ...why }: Why = {
    ...scanned,
    ...(isUnread ? skippedWhy(skip) : unused),
  };
  return {
    path: shown === '' ? '.' : shown,
    included: why.reason === 'included',
    indexed,
    ...why,
    rule: decision === undefined ? null : await ruleOf(decision, workspaceDir, memory),
  };
}

/** What the scan found under one of the paths in another form of Unicode: some systems decompose the names of files. */
function inOtherForm(paths: readonly string[], { files, decisions }: Scan): string | undefined {
  const composed = paths.map((path) => path.normalize('NFC'));
  return [
    ...files.map(({ absolutePath }) => absolutePath),
    ...decisions.map(({ path }) => path),
  ].find((found) => composed.includes(found.normalize('NFC')));
}

/** What is indexed, but no file of the workspace: a conversation, or a document of another host. */
async function whyWithoutFile(
  { backend, home }: ExplainedMemory,
  target: string,
  workspaceDir: string,
  isExtFresh: boolean | undefined,
): Promise<WhyOutput | undefined> {
  if (isExtFresh !== undefined) {
    const found = lookUpDocument(await backend.list(), workspaceDir, target);
    if (found?.document.source !== 'sessions') return undefined;
    const { path } = found.document;
    return { path, included: true, indexed: isExtFresh, reason: 'included', rule: null };
  }
  const known = { included: true, indexed: true, rule: null } as const;
  return askIndex(home, undefined, async (index) => {
    const own = await lookUpIndexed(index, workspaceDir, target);
    if (own?.document.source === 'sessions') {
      const { path } = own.document;
      return isLeftOut(own.document)
        ? { path, included: false, indexed: false, ...LEFT_OUT, rule: null }
        : { path, reason: 'included', ...known };
    }
    const other = home.others && (await lookUpOther(home.others, target))?.document;
    if (other === undefined) return undefined;
    return { path: documentName(other), reason: 'other_host', detail: other.origin, ...known };
  });
}

const LEFT_OUT: Why = {
  reason: 'excluded',
  detail: 'a conversation in another folder, or one that a schedule started',
};

const FORGOTTEN: Why = {
  reason: 'forgotten',
  detail: '"svc memory forget --list" shows the entries',
};

function skippedWhy(skip: SkippedFile): Why {
  return { reason: 'skipped', detail: `${skip.path}: ${skipWords(skip)}` };
}

function reasonOf(
  { file, named }: { readonly file: string; readonly named: string },
  { files, skipped, decisions }: Scan,
  workspaceDir: string,
  { sources }: ExplainedMemory,
): Why {
  const about = decisions.filter(({ path }) => isInside(file, path));
  const within = files.filter(
    ({ absolutePath }) => pathBelow(absolutePath, file) !== undefined,
  ).length;
  if (within > 0 || files.some(({ absolutePath }) => absolutePath === file)) {
    const detail = within > 0 ? { detail: `a folder with ${formatCountOf(within, 'file')}` } : {};
    return { reason: 'included', ...detail, decision: about.findLast((one) => !one.excluded) };
  }
  // A folder may have no rule of its own, only files that are excluded.
  const decision = [...about, ...decisions.filter(({ path }) => isInside(path, file))].find(
    ({ excluded }) => excluded,
  );
  if (decision !== undefined) return { reason: 'excluded', decision };
  const skip = skipped.find(({ path }) => {
    const at = resolve(absoluteFromDisplay(workspaceDir, path));
    const around = isIgnoreFile(basename(at)) ? dirname(at) : at;
    // The path as typed may go through a link; the real one does not.
    return isInside(file, around) || isInside(named, around);
  });
  if (skip !== undefined) return skippedWhy(skip);
  // A path is relative to the workspace, but a shell completes it from the current folder.
  if (!existsSync(file)) return { reason: 'missing', detail: file };
  const detail = outsideDetail(file, workspaceDir);
  if (detail !== undefined) return { reason: 'outside', detail };
  if (!isCovered(file, workspaceDir, sources.memory)) return { reason: 'outside' };
  const isOther =
    !statSync(file).isDirectory() && kindOfName(basename(file), sources.memory) === undefined;
  if (isOther) return { reason: 'other_kind', ...settingFor(file) };
  return sources.memory.takes?.(file) === false
    ? { reason: 'excluded', detail: 'no collection of memory.ext contains it' }
    : { reason: 'outside' };
}

/** Whether a file is where memory is, whatever its kind. */
function isCovered(file: string, workspaceDir: string, options: MemoryFilesOptions): boolean {
  const isInWorkspace =
    isInside(file, workspaceDir) &&
    whyNoMemory(options, workspaceDir, displayPath(workspaceDir, file)) !== 'outside';
  return (
    isInWorkspace ||
    options.extraPaths.some((extra) => isInside(file, realOrGiven(resolve(workspaceDir, extra))))
  );
}

/** The setting that would include the format of a file. */
function settingFor(file: string): { readonly detail?: string } {
  if (documentFormatOf(file) !== undefined) {
    return { detail: 'memorySearch.documents can include its format' };
  }
  return modalityOfName(file) === undefined
    ? {}
    : { detail: 'memorySearch.multimodal can include its format' };
}

function outsideDetail(file: string, workspaceDir: string): string | undefined {
  const path = displayPath(workspaceDir, file);
  const ignored = ignoredFolderIn(path);
  if (ignored !== undefined) return `folders named ${ignored} are never indexed`;
  return path.startsWith(`${DREAM_REPORTS}/`) ? 'reports of dreaming are not memory' : undefined;
}

/** What the index has of a file or folder, and why the last sync could not read the file. */
async function indexStateOf(
  { home }: ExplainedMemory,
  { path, file, workspaceDir, files }: IndexedPlace,
): Promise<IndexState> {
  // The path of a conversation is not where its transcript is.
  const transcripts = new Map(files.map((one) => [one.path, one.absolutePath]));
  return askIndex<IndexState>(home, { indexed: false }, async (index) => {
    const { skipped } = await index.syncMark();
    const within = (await index.documents()).filter((one) => {
      const place =
        one.source === 'sessions'
          ? transcripts.get(one.path)
          : absoluteFromDisplay(workspaceDir, one.path);
      return place !== undefined && isInside(place, file);
    });
    const isForgotten = within.some((one) => one.path === path && isForgottenWhole(one.hash));
    const isAny = within.length > 0;
    const unused = isForgotten
      ? FORGOTTEN
      : isAny && within.every(isLeftOut)
        ? LEFT_OUT
        : undefined;
    return {
      indexed: isAny && unused === undefined,
      skip: skipped.find((one) => one.path === path),
      unused,
    };
  });
}

interface IndexState {
  readonly indexed: boolean;
  readonly skip?: SkippedFile | undefined;
  /** Why what was read of a file is not used. */
  readonly unused?: Why | undefined;
}

interface IndexedPlace extends Pick<Scan, 'files'> {
  readonly path: string;
  readonly file: string;
  readonly workspaceDir: string;
}

/** @param otherwise the answer without an index that can be used; the status reports why */
async function askIndex<T>(
  home: IndexHome,
  otherwise: T,
  ask: (index: MemoryIndex) => Promise<T>,
): Promise<T> {
  const opened = await home.open();
  if (opened.state !== 'ready') return otherwise;
  using index = closing(opened.index);
  try {
    return await ask(index);
  } catch (error) {
    if (isDamage(error)) return otherwise;
    throw error;
  }
}

async function ruleOf(
  decision: ExcludeDecision,
  workspaceDir: string,
  { locate }: ExplainedMemory,
): Promise<NonNullable<WhyOutput['rule']>> {
  const { from, file, line, pattern } = decision.rule();
  const decides = displayPath(workspaceDir, decision.path);
  if (file !== undefined) {
    return { from, file: displayPath(workspaceDir, file), line, pattern, path: decides };
  }
  const location = (await locate(['memorySearch', 'exclude', line - 1]))?.location;
  const place = { file: location?.file ?? null, line: location?.line ?? null };
  return { from, ...place, pattern, path: decides };
}
