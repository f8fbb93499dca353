/**
 * The baseline of indexing: reads every Markdown file in a folder, splits it into pieces of a given size at line
 * ends, and inserts them into an FTS5 table in one transaction.
 *
 *   node raw-index-loop.mjs FOLDER DATABASE CHARACTERS
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

const [folder, file, size] = process.argv.slice(2);
const characters = Number(size);
const database = new Database(file);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = NORMAL');
database.exec(
  "CREATE VIRTUAL TABLE chunks USING fts5 (text, path UNINDEXED, tokenize = 'porter unicode61')",
);
const insert = database.prepare('INSERT INTO chunks (text, path) VALUES (?, ?)');
let count = 0;
database.exec('BEGIN');
for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
  if (!name.endsWith('.md')) continue;
  const text = readFileSync(join(folder, name), 'utf8');
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start + characters);
    const stop = end === -1 ? text.length : end + 1;
    insert.run(text.slice(start, stop), name);
    count += 1;
    start = stop;
  }
}
database.exec('COMMIT');
database.close();
process.stdout.write(`${count}\n`);
