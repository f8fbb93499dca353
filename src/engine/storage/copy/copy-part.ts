import { createHash } from 'node:crypto';
import { letOthersRun } from '../../support/async.js';
import type { StorageCopyOutput } from '../output-schemas.js';

/** Where rows are read from, a page at a time. */
export interface CopySource<Row> {
  count(): Promise<number>;
  /** The rows after another one, in an order that does not change; empty at the end. */
  page(after: Row | undefined): Promise<readonly Row[]>;
}

/** Where rows are written to. */
export interface CopyTarget<Row> {
  /** Adds rows, and replaces older ones, in one transaction. @returns how many it added or replaced */
  write(rows: readonly Row[]): Promise<number>;
  /** Those of the same rows that are there. */
  find(rows: readonly Row[]): Promise<readonly Row[]>;
}

/** Rows of one kind, and how they are compared. */
export interface CopyPart<Row> {
  readonly name: string;
  readonly source: CopySource<Row>;
  readonly target: CopyTarget<Row>;
  /** Identifies a row in both stores. */
  readonly keyOf: (row: Row) => string;
  /** What has to be equal after copying, as a text. */
  readonly contentOf: (row: Row) => string;
  /** Whether a row of the target that is not equal is newer, and stays. */
  readonly isNewer: (there: Row, here: Row) => boolean;
  /** Whether an earlier copy wrote a row, so that it stays deleted if the target no longer has it. */
  readonly wasCopied: (row: Row) => boolean;
  /** Called for each row that stays deleted. */
  readonly onDeleted?: (row: Row) => void;
}

/** What became of a part. */
export type CopiedPart = StorageCopyOutput['parts'][number];

interface CopyOptions {
  /** Stops between two transactions. */
  readonly signal: AbortSignal;
  /** Called after each page. */
  readonly onProgress: (step: 'checking' | 'copying', rows: number) => void;
}

/**
 * Copies rows that the target lacks, then compares all of them. A run that was killed continues where it stopped:
 * what is there is skipped by its key.
 *
 * @throws the signal's reason; SvcError of the stores
 */
export async function copyPart<Row>(
  part: CopyPart<Row>,
  { signal, onProgress }: CopyOptions,
): Promise<CopiedPart> {
  let written = 0;
  let copied = 0;
  for await (const rows of pages(part.source, signal)) {
    written += await part.target.write(await withoutDeleted(part, rows));
    copied += rows.length;
    onProgress('copying', copied);
  }
  return { name: part.name, written, ...(await compare(part, { signal, onProgress })) };
}

async function compare<Row>(part: CopyPart<Row>, { signal, onProgress }: CopyOptions) {
  let [rows, newer, deleted, different] = [0, 0, 0, 0];
  const [source, target] = [createHash('sha256'), createHash('sha256')];
  for await (const page of pages(part.source, signal)) {
    const found = new Map((await part.target.find(page)).map((row) => [part.keyOf(row), row]));
    for (const here of page) {
      const there = found.get(part.keyOf(here));
      const content = part.contentOf(here);
      const contentThere = there === undefined ? undefined : part.contentOf(there);
      if (there !== undefined && contentThere !== content && part.isNewer(there, here)) {
        newer += 1;
        continue;
      }
      if (there === undefined && part.wasCopied(here)) {
        deleted += 1;
        continue;
      }
      if (contentThere !== content) different += 1;
      source.update(`${content}\n`);
      if (contentThere !== undefined) target.update(`${contentThere}\n`);
    }
    rows += page.length;
    onProgress('checking', rows);
  }
  const hashes = { source: source.digest('hex'), target: target.digest('hex') };
  return { rows, newer, deleted, different, hashes };
}

async function withoutDeleted<Row>(
  { target, keyOf, wasCopied, onDeleted }: CopyPart<Row>,
  rows: readonly Row[],
): Promise<readonly Row[]> {
  const copied = rows.filter(wasCopied);
  if (copied.length === 0) return rows;
  const there = new Set((await target.find(copied)).map(keyOf));
  const deleted = new Set(copied.filter((row) => !there.has(keyOf(row))));
  for (const row of deleted) onDeleted?.(row);
  return rows.filter((row) => !deleted.has(row));
}

async function* pages<Row>(source: CopySource<Row>, signal: AbortSignal) {
  let after: Row | undefined;
  for (;;) {
    // SQLite never yields, and a signal must be seen.
    await letOthersRun(signal);
    const rows = await source.page(after);
    after = rows.at(-1);
    if (after === undefined) return;
    yield rows;
  }
}
