import { SvcError } from '../../errors/index.js';
import { findDocument, lookUpDocument } from '../backends/read-lines.js';
import type { MemoryIndex, StoredDocument } from '../index/memory-index.js';
import { parseCitation } from '../search/citation.js';
import type { SearchResult } from '../search/types.js';
import { resolveWorkspace } from '../sources/memory-files.js';
import { absoluteFromDisplay } from '../sources/paths.js';
import { readDocument } from '../sources/read-document.js';
import type { MemorySources } from '../sources/scan-sources.js';
import type { LineRange } from '../types.js';
import { answeringLines } from './answering-lines.js';
import type { ForgetPassage, ForgetPlan, ForgetRequest } from './forget-plan.js';
import { Forgotten, hashesOf, rangesOf } from './forgotten.js';
import { readPassages } from './read-passages.js';

/** What planning asks. */
export interface PlanContext {
  readonly index: MemoryIndex;
  readonly sources: MemorySources;
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
  const workspaceDir = resolveWorkspace(context.sources.memory.workspaceDir);
  const documents = await context.index.documents();
  const wanted = new Map<StoredDocument, LineRange[] | 'whole'>();
  const named = looksLikePath(target)
    ? findDocument(documents, workspaceDir, target)
    : lookUpDocument(documents, workspaceDir, target);
  if (named === undefined) {
    for (const result of await context.search(target, maxResults)) {
      const { path, source } = result;
      const document = documents.find((one) => one.path === path && one.source === source);
      const ranges = document === undefined ? undefined : (wanted.get(document) ?? []);
      if (document === undefined || ranges === undefined || ranges === 'whole') continue;
      wanted.set(document, [...ranges, ...answeringLines(result)]);
    }
  } else {
    wanted.set(named.document, named.range === undefined ? 'whole' : [named.range]);
  }
  const passages: ForgetPassage[] = [];
  for (const [document, ranges] of wanted) {
    passages.push(...(await readPassages(document, ranges, context)));
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

function sameLines(
  passages: readonly ForgetPassage[],
  documents: readonly StoredDocument[],
  workspaceDir: string,
): ForgetPlan['alsoIn'] {
  const lines = passages.flatMap(({ parts }) => parts.map((text) => hashesOf('', text)));
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
