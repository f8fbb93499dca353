import { createDatabase } from '../../src/engine/sqlite/database.js';
import { tempFolder } from './temp-folder.js';

const AT = 1_770_091_506_789;

/** OpenCode's database, open for writing as it is while OpenCode runs. */
export function opencodeStore() {
  const folder = tempFolder();
  const database = createDatabase(folder.at('opencode.db'), 1000);
  database.pragma('journal_mode = WAL');
  database.exec(`
    CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT NOT NULL,
      title TEXT NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER NOT NULL,
      time_updated INTEGER NOT NULL, data TEXT NOT NULL);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL,
      time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);`);
  let next = 0;
  const insert = (table: string, ...values: unknown[]) =>
    database
      .prepare(`INSERT INTO ${table} VALUES (${values.map(() => '?').join(', ')})`)
      .run(values);
  return {
    folder,
    database,
    session: (id: string, directory: string, parent: string | null = null) =>
      insert('session', id, 'p1', parent, directory, 'A title', AT, AT),
    say: (session: string, role: string, ...parts: readonly unknown[]) => {
      next += 1;
      const id = `msg_${String(next).padStart(4, '0')}`;
      insert('message', id, session, AT + next, AT + next, JSON.stringify({ role }));
      for (const [at, part] of parts.entries()) {
        const text = typeof part === 'string' ? part : JSON.stringify(part);
        insert('part', `prt_${next}_${at}`, id, session, AT + next, AT + next, text);
      }
      database.prepare('UPDATE session SET time_updated = ? WHERE id = ?').run(AT + next, session);
    },
  };
}

/** The tables of OpenCode 2, next to those of version 1, to which version 1 goes on writing. */
export function opencodeStore2() {
  const { folder, database, ...version1 } = opencodeStore();
  database.exec(`
    CREATE TABLE session_v2 (id TEXT PRIMARY KEY, project_id TEXT NOT NULL, parent_id TEXT,
      directory TEXT NOT NULL, title TEXT, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL);
    CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, type TEXT NOT NULL,
      seq INTEGER NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);`);
  let seq = 0;
  return {
    folder,
    database,
    version1,
    session: (id: string, directory: string, parent: string | null = null) => {
      database
        .prepare('INSERT INTO session_v2 VALUES (?, ?, ?, ?, ?, ?, ?)')
        .run(id, 'p1', parent, directory, null, AT, AT);
    },
    say: (session: string, type: string, data: unknown) => {
      seq += 1;
      // Newer messages have smaller ids here: only "seq" gives the order.
      const id = `msg_${String(9999 - seq)}`;
      database
        .prepare('INSERT INTO session_message VALUES (?, ?, ?, ?, ?, ?, ?)')
        .run(id, session, type, seq, AT + seq, AT + seq, JSON.stringify(data));
      return id;
    },
    rewrite: (id: string, data: unknown) => {
      seq += 1;
      database
        .prepare('UPDATE session_message SET data = ?, time_updated = ? WHERE id = ?')
        .run(JSON.stringify(data), AT + seq, id);
    },
  };
}
