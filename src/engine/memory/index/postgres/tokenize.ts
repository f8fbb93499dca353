import { hash } from 'node:crypto';
import { type Connection, openDatabaseBytes } from '../../../sqlite/database.js';
import type { Tokenizer } from '../identity.js';
import type { ColumnTexts } from '../indexed-texts.js';
import { COLUMN_WEIGHTS, FULL_TEXT_TOKENIZERS } from '../lexical-text.js';
import { type Run, RunWriter } from './posting-bytes.js';

/** What a change set adds to the index of words. */
const COLUMNS = Object.keys(COLUMN_WEIGHTS);
/** Weights are multiples of a half. */
export const WEIGHT_UNIT = 0.5;
/** The weights of the columns in units. */
export const UNIT_WEIGHTS = Object.values(COLUMN_WEIGHTS).map((weight) => weight / WEIGHT_UNIT);

/** The largest number in two bytes; no chunk has as many words. */
const MOST_WORDS = 0xff_ff;
/** A longer term, which is no word, does not fit into an index of PostgreSQL. */
const LONGEST_TERM = 200;
const KEPT_PREFIX = 160;

/** Divides texts into words by SQLite's full-text search in memory, so that both kinds of index have the same words. */
export class WordReader {
  private readonly database: Connection;
  private onWord: (term: string, row: number, column: string, position: number) => void = () =>
    undefined;

  constructor(tokenizer: Tokenizer) {
    this.database = openDatabaseBytes(Buffer.alloc(0));
    this.database.exec(
      `CREATE VIRTUAL TABLE texts USING fts5 (${COLUMNS.join(', ')}, content = '',
         tokenize = '${FULL_TEXT_TOKENIZERS[tokenizer]}');
       CREATE VIRTUAL TABLE words USING fts5vocab (texts, instance);
       CREATE VIRTUAL TABLE terms USING fts5vocab (texts, row)`,
    );
    // A row for each word would take five times as long to read.
    this.database.function('on_word', { deterministic: false }, (term, row, column, position) => {
      this.onWord(String(term), Number(row), String(column), Number(position));
      return 0;
    });
  }

  /**
   * The words of chunks.
   *
   * @param ids of the chunks, ascending, relative to where the runs will begin; by default their places
   */
  read(chunks: readonly ColumnTexts[], ids?: readonly number[]) {
    const terms = new Map<string, readonly Run[]>();
    /** For each chunk, how many words its columns have. */
    const lengths = chunks.map(() => 0);
    const writer = new RunWriter(UNIT_WEIGHTS);
    let current: string | undefined;
    const endTerm = (): void => {
      if (current !== undefined) terms.set(storedTerm(current), writer.take());
    };
    this.withTexts(chunks, () => {
      this.onWord = (term, row, column, position) => {
        if (term !== current) endTerm();
        current = term;
        lengths[row - 1] = (lengths[row - 1] ?? 0) + 1;
        writer.add(ids?.[row - 1] ?? row - 1, COLUMNS.indexOf(column), position);
      };
      // In the order of terms, rows, columns and positions.
      this.database.prepare('SELECT count(on_word(term, doc, col, offset)) FROM words').get();
    });
    endTerm();
    return { terms, lengths: lengths.map((length) => Math.min(length, MOST_WORDS)) };
  }

  /** In how many of some chunks each term is. */
  count(chunks: readonly ColumnTexts[]): ReadonlyMap<string, number> {
    return this.withTexts(chunks, () => {
      const rows = this.database
        .prepare<[], [string, number]>('SELECT term, doc FROM terms')
        .raw()
        .all();
      return new Map(rows.map(([term, count]) => [storedTerm(term), count]));
    });
  }

  /** The words of phrases, in their order. */
  wordsOf(phrases: readonly string[]): readonly (readonly string[])[] {
    const words = phrases.map((): string[] => []);
    this.withTexts(
      phrases.map((phrase) => [phrase, '', '', '']),
      () => {
        const rows = this.database
          .prepare<[], [string, number]>('SELECT term, doc FROM words ORDER BY doc, offset')
          .raw()
          .all();
        for (const [term, row] of rows) words[row - 1]?.push(storedTerm(term));
      },
    );
    return words;
  }

  close(): void {
    this.database.close();
  }

  private withTexts<T>(chunks: readonly ColumnTexts[], read: () => T): T {
    const places = COLUMNS.map(() => '?').join(', ');
    const insert = this.database.prepare(
      `INSERT INTO texts (rowid, ${COLUMNS.join(', ')}) VALUES (?, ${places})`,
    );
    try {
      this.database.transaction(() => {
        for (const [at, columns] of chunks.entries()) insert.run(at + 1, ...columns);
      })();
      return read();
    } finally {
      this.database.exec("INSERT INTO texts (texts) VALUES ('delete-all')");
    }
  }
}

function storedTerm(term: string): string {
  if (term.length <= LONGEST_TERM) return term;
  return term.slice(0, KEPT_PREFIX) + hash('sha256', term).slice(0, 32);
}
