import { SvcError } from '../../errors/index.js';
import { findDocument, lookUpDocument, readLines } from '../backends/read-lines.js';
import type { MemoryIndex, StoredDocument } from '../index/memory-index.js';
import { parseCitation } from '../search/citation.js';
import type { SearchResult } from '../search/types.js';
import { resolveWorkspace } from '../sources/memory-files.js';
import { absoluteFromDisplay } from '../sources/paths.js';
import { readDocument } from '../sources/read-document.js';
import { joinedLines } from '../sources/text-lines.js';
import type { LineRange } from '../types.js';
import type { ForgetPassage, ForgetPlan, ForgetRequest } from './forget-plan.js';
import { Forgotten, hashesOf, NOTHING_FORGOTTEN, rangesOf, saysSomething } from './forgotten.js';

/** What planning asks. */
export interface PlanContext {
  readonly index: MemoryIndex;
  readonly workspaceDir: string;
  readonly search: (
    query: string,
    maxResults: number | undefined,
  ) => Promise<readonly SearchResult[]>;
}

/**
 * Finds what a path, a citation or words mean, and reads it. Changes nothing.
 *
 * @throws SvcError DOCUMENT_NOT_INDEXED, DOCUMENT_UNREADABLE, RANGE_INVALID, FORGET_NOTHING
 */
export async function planForget(
  { target, maxResults }: ForgetRequest,
  context: PlanContext,
): Promise<ForgetPlan> {
  const workspaceDir = resolveWorkspace(context.workspaceDir);
  const documents = await context.index.documents();
  const wanted = new Map<StoredDocument, LineRange[] | 'whole'>();
  const named = looksLikePath(target)
    ? findDocument(documents, workspaceDir, target)
    : lookUpDocument(documents, workspaceDir, target);
  if (named === undefined) {
    for (const { path, source, startLine, endLine } of await context.search(target, maxResults)) {
      const document = documents.find((one) => one.path === path && one.source === source);
      const ranges = document === undefined ? undefined : (wanted.get(document) ?? []);
      if (document === undefined || ranges === undefined || ranges === 'whole') continue;
      wanted.set(document, [...ranges, { startLine, endLine }]);
    }
  } else {
    wanted.set(named.document, named.range === undefined ? 'whole' : [named.range]);
  }
  const passages: ForgetPassage[] = [];
  for (const [document, ranges] of wanted) {
    passages.push(...(await passagesOf(document, ranges, workspaceDir, context.index)));
  }
  if (passages.length === 0) {
    throw new SvcError('FORGET_NOTHING', `nothing in memory is about ${JSON.stringify(target)}`, {
      hint: 'name the file, or copy a citation from "svc memory search"',
    });
  }
  return { target, passages, alsoIn: sameLines(passages, documents, workspaceDir) };
}

/** Words are searched for, and nobody means a word that ends like a note. */
function looksLikePath(target: string): boolean {
  const { path, range } = parseCitation(target);
  return range !== undefined || /^\S+\.(?:md|markdown|jsonl)$/iu.test(path);
}

async function passagesOf(
  document: StoredDocument,
  ranges: readonly LineRange[] | 'whole',
  workspaceDir: string,
  index: MemoryIndex,
): Promise<readonly ForgetPassage[]> {
  const { path, source, kind } = document;
  const absolutePath = absoluteFromDisplay(workspaceDir, path);
  const outcome = readDocument(absolutePath, path);
  if (!outcome.ok) {
    throw new SvcError('DOCUMENT_UNREADABLE', `cannot read ${path}: ${outcome.skip.reason}`, {
      hint: 'run "svc memory index" to bring the index up to date',
    });
  }
  const { lines, hash } = outcome.document;
  const base = { path, absolutePath, source, kind, fileHash: hash };
  if (ranges === 'whole') {
    const text =
      kind === 'markdown'
        ? joinedLines(lines, 0, lines.count)
        : kind === 'media'
          ? ''
          : await spokenText(index, workspaceDir, path, { startLine: 1, endLine: lines.count });
    return [{ ...base, startLine: 1, endLine: lines.count, text, whole: true }];
  }
  const passages: ForgetPassage[] = [];
  for (const range of joined(ranges)) {
    if (range.startLine < 1 || range.endLine > lines.count || range.endLine < range.startLine) {
      throw new SvcError('RANGE_INVALID', `${path} has ${lines.count} lines`, {
        hint: `name lines from 1 to ${lines.count}`,
      });
    }
    const { startLine, endLine } = range;
    const text =
      kind === 'markdown'
        ? joinedLines(lines, startLine - 1, endLine)
        : await spokenText(index, workspaceDir, path, range);
    if (saysSomething(text)) passages.push({ ...base, startLine, endLine, text, whole: false });
  }
  return passages;
}

/** What a document that is no plain text says in a range of lines, as `svc memory get` shows it. */
async function spokenText(
  index: MemoryIndex,
  workspaceDir: string,
  path: string,
  { startLine, endLine }: LineRange,
): Promise<string> {
  const texts: string[] = [];
  for (let from = startLine; from <= endLine; ) {
    const request = { target: path, from, lines: endLine - from + 1 };
    const read = await readLines(index, workspaceDir, request, NOTHING_FORGOTTEN);
    texts.push(read.text);
    from = read.endLine + 1;
  }
  return texts.join('\n');
}

/** Overlapping and touching ranges as one, in order. */
function joined(ranges: readonly LineRange[]): readonly LineRange[] {
  const merged: { startLine: number; endLine: number }[] = [];
  for (const range of ranges.toSorted((a, b) => a.startLine - b.startLine)) {
    const last = merged.at(-1);
    if (last !== undefined && range.startLine <= last.endLine + 1) {
      last.endLine = Math.max(last.endLine, range.endLine);
    } else {
      merged.push({ ...range });
    }
  }
  return merged;
}

function sameLines(
  passages: readonly ForgetPassage[],
  documents: readonly StoredDocument[],
  workspaceDir: string,
): ForgetPlan['alsoIn'] {
  const lines = passages.map(({ text }) => hashesOf('', text));
  const forgotten = new Forgotten('', [{ documents: [], lines }]);
  return documents
    .filter(({ kind }) => kind === 'markdown')
    .flatMap(({ path }) => {
      const outcome = readDocument(absoluteFromDisplay(workspaceDir, path), path);
      if (!outcome.ok) return [];
      const own = passages.filter((passage) => passage.path === path);
      const found = forgotten.linesIn(outcome.document.lines);
      const others = [...found].filter(
        (at) => !own.some(({ startLine, endLine }) => at + 1 >= startLine && at < endLine),
      );
      return rangesOf(others).map((range) => ({ path, ...range }));
    });
}
