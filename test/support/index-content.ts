import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { openIndex } from '../../src/engine/memory/index/sqlite/sqlite-index.js';
import { matchExpression, parseQuery } from '../../src/engine/memory/search/query.js';
import { openDatabase } from '../../src/engine/sqlite/database.js';

/** The content of an index, without what depends on the time or the order in which it was built. */
export interface IndexContent {
  readonly documents: readonly unknown[];
  readonly chunks: readonly unknown[];
  /** What some queries find through the full-text tables, with scores. */
  readonly found: readonly unknown[];
}

/** Reads an index's content in a form in which two indexes can be compared. */
export async function contentOf(
  indexFile: string,
  queries: readonly string[] = [],
): Promise<IndexContent> {
  const database = openDatabase(indexFile, { readonly: true, busyTimeoutMs: 5000 });
  const documents = database
    .prepare('SELECT source, path, size, hash FROM documents ORDER BY source, path')
    .all();
  const chunks = database
    .prepare(
      `SELECT source, path, start_line, end_line, heading_path, text
       FROM chunks JOIN documents ON documents.id = document_id
       ORDER BY source, path, start_line, end_line, text`,
    )
    .all();
  const [integrity] = database.pragma('integrity_check') as { integrity_check: string }[];
  if (integrity?.integrity_check !== 'ok') throw new Error(JSON.stringify(integrity));
  database.close();
  const opened = openIndex(indexFile, 'read');
  if (opened.state !== 'ready') throw new Error(opened.state);
  const found: unknown[] = [];
  for (const query of queries) {
    const match = matchExpression(parseQuery(query, opened.identity.tokenizer));
    if (match === undefined) continue;
    const rows = await opened.index.lexicalCandidates(match, 1000);
    found.push([
      query,
      rows.map(({ path, startLine, bm25 }) => `${bm25.toFixed(9)} ${path}:${startLine}`).sort(),
    ]);
  }
  opened.index.close();
  return { documents, chunks, found };
}

/** The names of an index's files that contain one of these texts anywhere in their bytes. */
export function indexFilesWith(
  { indexFile }: { readonly indexFile: string },
  ...texts: readonly string[]
): readonly string[] {
  return readdirSync(dirname(indexFile))
    .filter((name) => name.startsWith(basename(indexFile)))
    .filter((name) => {
      const bytes = readFileSync(join(dirname(indexFile), name));
      return texts.some((text) => bytes.includes(text));
    });
}
