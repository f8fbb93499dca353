/**
 * The baseline of indexing transcripts: reads and parses every line of a folder's transcripts, and inserts the
 * messages into an FTS5 table in one transaction, without chunks, line numbers or masking.
 *
 *   node raw-transcript-loop.mjs FOLDER DATABASE
 */
import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';

const [folder, file] = process.argv.slice(2);
const database = new Database(file);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = NORMAL');
database.exec(
  "CREATE VIRTUAL TABLE turns USING fts5 (text, path UNINDEXED, tokenize = 'porter unicode61')",
);
const insert = database.prepare('INSERT INTO turns (text, path) VALUES (?, ?)');
database.exec('BEGIN');
for (const name of readdirSync(folder)) {
  const lines = createInterface({ input: createReadStream(join(folder, name)) });
  for await (const line of lines) {
    const { message } = JSON.parse(line);
    if (message.role === 'user' || message.role === 'assistant') {
      insert.run(message.content[0].text, name);
    }
  }
}
database.exec('COMMIT');
database.close();
