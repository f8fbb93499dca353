/**
 * The baseline of a sweep: reads every note in a folder, parses every line of a recall log, and stores the
 * recalls in a table, without splitting, counting, scoring or writing anything.
 *
 *   node raw-dream-loop.mjs FOLDER LOG DATABASE
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

const [folder, log, file] = process.argv.slice(2);
const database = new Database(file);
database.pragma('journal_mode = WAL');
database.exec('CREATE TABLE recalls (text TEXT PRIMARY KEY, score REAL)');
const insert = database.prepare('INSERT OR REPLACE INTO recalls VALUES (?, ?)');
let bytes = 0;
for (const path of readdirSync(folder, { recursive: true })) {
  if (path.endsWith('.md')) bytes += readFileSync(join(folder, path), 'utf8').length;
}
database.exec('BEGIN');
for (const line of readFileSync(log, 'utf8').split('\n')) {
  if (line === '') continue;
  for (const { text, score } of JSON.parse(line).claims) insert.run(text, score);
}
database.exec('COMMIT');
database.close();
if (bytes === 0) throw new Error('there are no notes');
