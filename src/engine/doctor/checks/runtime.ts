import { openDatabaseBytes } from '../../sqlite/database.js';
import type { DoctorCheck } from '../check.js';
import type { Finding } from '../finding.js';

/** The oldest that svc runs on, as in package.json. */
const OLDEST_NODE = [20, 19] as const;
/** The first with what the index uses: STRICT tables. */
const OLDEST_SQLITE = [3, 37] as const;

/** Whether Node.js and SQLite are new enough. That SQLite loads at all is the check of modules. */
export const runtime: DoctorCheck = {
  name: 'runtime',
  needs: 'nothing',
  run: async ({ host }) => {
    const sqlite = sqliteFacts();
    const findings = [
      ...(isOlder(host.nodeVersion, OLDEST_NODE) ? [oldNode(host.nodeVersion)] : []),
      ...(sqlite === undefined ? [] : sqliteFindings(sqlite)),
    ];
    const words = sqlite === undefined ? '' : `, SQLite ${sqlite.version}`;
    return { summary: `Node.js ${host.nodeVersion}${words}`, findings };
  },
};

interface SqliteFacts {
  readonly version: string;
  readonly hasFullText: boolean;
}

function sqliteFacts(): SqliteFacts | undefined {
  try {
    const database = openDatabaseBytes(Buffer.alloc(0));
    try {
      const version = database.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? '';
      const options = database.prepare<[], string>('PRAGMA compile_options').pluck().all();
      return { version, hasFullText: options.includes('ENABLE_FTS5') };
    } finally {
      database.close();
    }
  } catch {
    // The check of modules says why.
    return undefined;
  }
}

function sqliteFindings({ version, hasFullText }: SqliteFacts): readonly Finding[] {
  const hint = 'install svc anew: it brings its own SQLite';
  if (isOlder(version, OLDEST_SQLITE)) {
    const message = `SQLite ${version} is older than ${OLDEST_SQLITE.join('.')}`;
    return [{ code: 'sqlite-old', severity: 'fault', message, hint }];
  }
  if (hasFullText) return [];
  const message = 'this SQLite has no full-text search';
  return [{ code: 'sqlite-without-fts', severity: 'fault', message, hint }];
}

function oldNode(version: string): Finding {
  return {
    code: 'node-old',
    severity: 'fault',
    message: `Node.js ${version} is older than ${OLDEST_NODE.join('.')}`,
    hint: 'install a newer one from https://nodejs.org, then svc anew',
  };
}

function isOlder(version: string, [wantedMajor, wantedMinor]: readonly [number, number]): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < wantedMajor || (major === wantedMajor && minor < wantedMinor);
}
