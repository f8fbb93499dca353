import { createReadStream, existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { DreamTarget } from '../../dreaming/index.js';
import { parseRecallLine } from '../../dreaming/recall-log/recall-log.js';
import type { SharedRecalls } from '../../dreaming/recall-log/shared-recalls.js';
import { uniqueBy } from '../../support/lists.js';
import type { CopyPart } from './copy-part.js';

/** A search in a recall log, by its place there. */
interface RecallRow {
  readonly at: number;
  readonly line: string;
}

const PAGE_ROWS = 500;

/**
 * The searches of this host that a sweep of another host has to learn of; undefined if there are none. A workspace that
 * was swept here is swept here again, which reads its own log.
 */
export async function recallPart(
  { workspace: { files }, agents }: DreamTarget,
  recalls: SharedRecalls,
): Promise<CopyPart<RecallRow> | undefined> {
  if (existsSync(files.database)) return undefined;
  const found = [...(await linesOf(`${files.recallLog}.old`)), ...(await linesOf(files.recallLog))];
  const lines = found.flatMap((text) => {
    const recall = parseRecallLine(text);
    return recall === undefined ? [] : [recalls.lineOf(recall)];
  });
  const rows = uniqueBy(lines, (line) => line).map((line, at) => ({ at, line }));
  if (rows.length === 0) return undefined;
  return {
    name: `recalls of ${agents.join(', ')}`,
    source: {
      count: async () => rows.length,
      page: async (after) => {
        const from = (after?.at ?? -1) + 1;
        return rows.slice(from, from + PAGE_ROWS);
      },
    },
    target: {
      write: (page) => recalls.copy(page.map(({ line }) => line)),
      find: async (page) => {
        const there = new Set(await recalls.find(page.map(({ line }) => line)));
        return page.filter(({ line }) => there.has(line));
      },
    },
    keyOf: ({ line }) => line,
    contentOf: ({ line }) => line,
    isNewer: () => false,
    wasCopied: () => false,
  };
}

async function linesOf(file: string): Promise<readonly string[]> {
  if (!existsSync(file)) return [];
  const lines: string[] = [];
  for await (const line of createInterface({ input: createReadStream(file, 'utf8') }))
    lines.push(line);
  return lines;
}
