import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Connection, Driver, OpenOptions, Statement, Transaction } from './connection.js';

/** The part of `node:sqlite` that is used; its types are not in those of Node.js 20. */
interface NodeSqlite {
  readonly DatabaseSync: new (location: URL | string, options: object) => NodeDatabase;
  readonly StatementSync: { readonly prototype: NodeStatement };
  readonly backup: (source: NodeDatabase, file: string, options: object) => Promise<number>;
}

interface NodeDatabase {
  readonly isOpen: boolean;
  readonly isTransaction: boolean;
  prepare(sql: string): NodeStatement;
  exec(sql: string): void;
  function(name: string, options: object, implementation: (...values: unknown[]) => unknown): void;
  loadExtension(path: string, entryPoint?: string): void;
  close(): void;
}

interface NodeStatement {
  run(...values: unknown[]): {
    readonly changes: bigint | number;
    readonly lastInsertRowid: bigint | number;
  };
  get(...values: unknown[]): unknown[] | undefined;
  all(...values: unknown[]): unknown[][];
  iterate(...values: unknown[]): Iterable<unknown[]>;
  columns(): readonly { readonly name: string }[];
  setReturnArrays(isOn: boolean): void;
  setReadBigInts(isOn: boolean): void;
  setAllowUnknownNamedParameters(isOn: boolean): void;
}

/** Node's own SQLite; undefined where it is missing or too old: arrays as rows came with 22.16 and 24.0. */
export function findNodeDriver(): Driver | undefined {
  const sqlite = withoutWarning(() => process.getBuiltinModule('node:sqlite'));
  if (!isUsable(sqlite)) return undefined;
  return {
    name: 'node:sqlite',
    connect: (source, options) =>
      typeof source === 'string'
        ? new NodeConnection(sqlite, source, options)
        : connectCopy(sqlite, source),
  };
}

/** Node.js warns once that the module is experimental, on the stderr of every command. */
function withoutWarning<T>(work: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}

function isUsable(sqlite: object | undefined): sqlite is NodeSqlite {
  if (sqlite === undefined || !('backup' in sqlite) || !('StatementSync' in sqlite)) return false;
  const { StatementSync } = sqlite;
  return typeof StatementSync === 'function' && 'setReturnArrays' in StatementSync.prototype;
}

/** Node.js 22 cannot open bytes. An open file stays readable after it was removed, but SQLite refuses to write to it. */
function connectCopy(sqlite: NodeSqlite, bytes: Buffer): Connection {
  if (bytes.length === 0) return new NodeConnection(sqlite, ':memory:', {});
  const folder = mkdtempSync(join(tmpdir(), 'svc-database-'));
  try {
    const file = join(folder, 'copy.sqlite');
    writeFileSync(file, bytes, { mode: 0o600 });
    return new NodeConnection(sqlite, file, { fileMustExist: true });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The name of all savepoints of nested transactions; SQLite uses the innermost one of a name. */
const SAVEPOINT = 'nested';

class NodeConnection implements Connection {
  readonly name: string;
  private readonly sqlite: NodeSqlite;
  private readonly database: NodeDatabase;

  constructor(sqlite: NodeSqlite, file: string, options: OpenOptions) {
    this.sqlite = sqlite;
    this.name = file;
    this.database = translatingErrors(
      () =>
        new sqlite.DatabaseSync(locationOf(file, options), {
          readOnly: options.readonly ?? false,
          timeout: options.timeout ?? 0,
          allowExtension: true,
        }),
    );
  }

  get inTransaction(): boolean {
    return this.database.isOpen && this.database.isTransaction;
  }

  prepare<Params extends unknown[] | object, Row>(
    sql: string,
  ): Params extends unknown[] ? Statement<Params, Row> : Statement<[Params], Row>;
  prepare(sql: string): Statement {
    return new NodeStatementAdapter(translatingErrors(() => this.database.prepare(sql)));
  }

  exec(sql: string): void {
    translatingErrors(() => this.database.exec(sql));
  }

  pragma(source: string, { simple = false }: { readonly simple?: boolean } = {}): unknown {
    const statement = this.prepare<[], unknown>(`PRAGMA ${source}`);
    return simple ? statement.pluck().get() : statement.all();
  }

  transaction<Result>(work: () => Result): Transaction<Result> {
    const begin = (how: string) => (): Result => this.runInTransaction(how, work);
    return Object.assign(begin('BEGIN'), { immediate: begin('BEGIN IMMEDIATE') });
  }

  private runInTransaction<Result>(begin: string, work: () => Result): Result {
    const [start, commit, undo] = this.inTransaction
      ? [
          `SAVEPOINT ${SAVEPOINT}`,
          `RELEASE ${SAVEPOINT}`,
          `ROLLBACK TO ${SAVEPOINT}; RELEASE ${SAVEPOINT}`,
        ]
      : [begin, 'COMMIT', 'ROLLBACK'];
    this.exec(start);
    try {
      const result = work();
      this.exec(commit);
      return result;
    } catch (error) {
      // SQLite ends a transaction itself if the disk is full.
      if (this.inTransaction) this.exec(undo);
      throw error;
    }
  }

  function(
    name: string,
    options: { readonly deterministic: boolean },
    implementation: (...values: unknown[]) => unknown,
  ): void {
    translatingErrors(() => this.database.function(name, options, implementation));
  }

  loadExtension(path: string, entryPoint?: string): void {
    translatingErrors(() => this.database.loadExtension(path, entryPoint));
  }

  async backup(file: string, { progress }: { progress: () => number }) {
    try {
      return { totalPages: await this.sqlite.backup(this.database, file, { rate: progress() }) };
    } catch (error) {
      // Node.js has no code for a file that is locked: "not an error".
      if (error instanceof Error && 'errcode' in error && error.errcode === 0) {
        return { totalPages: 0 };
      }
      throw translate(error);
    }
  }

  close(): void {
    if (this.database.isOpen) translatingErrors(() => this.database.close());
  }
}

/** A URL with `mode=rw`, which opens only an existing file. */
function locationOf(file: string, { fileMustExist = false, readonly = false }: OpenOptions) {
  if (!fileMustExist || readonly) return file;
  const url = pathToFileURL(file);
  url.searchParams.set('mode', 'rw');
  return url;
}

/** Rows are read as arrays, since Node's objects have no prototype, and its blobs are not buffers. */
class NodeStatementAdapter implements Statement {
  private readonly statement: NodeStatement;
  private mode: 'pluck' | 'raw' | 'rows' = 'rows';
  private names: readonly string[] = [];

  constructor(statement: NodeStatement) {
    statement.setReturnArrays(true);
    // Reading a number beyond 2 ** 53 throws otherwise, and databases of other programs can contain one.
    statement.setReadBigInts(true);
    statement.setAllowUnknownNamedParameters(true);
    this.statement = statement;
  }

  pluck(): this {
    this.mode = 'pluck';
    return this;
  }

  raw(): this {
    this.mode = 'raw';
    return this;
  }

  columns(): readonly { readonly name: string }[] {
    return this.statement.columns();
  }

  run(...values: unknown[]) {
    const result = translatingErrors(() => this.statement.run(...bindable(values)));
    return { changes: Number(result.changes), lastInsertRowid: result.lastInsertRowid };
  }

  get(...values: unknown[]): unknown {
    const row = translatingErrors(() => this.statement.get(...bindable(values)));
    return row === undefined ? undefined : this.toRow(row);
  }

  all(...values: unknown[]): unknown[] {
    const rows = translatingErrors(() => this.statement.all(...bindable(values)));
    return rows.map((row) => this.toRow(row));
  }

  *iterate(...values: unknown[]): Generator<unknown, undefined> {
    const rows = translatingErrors(() => this.statement.iterate(...bindable(values)));
    const iterator = rows[Symbol.iterator]();
    try {
      for (;;) {
        const next = translatingErrors(() => iterator.next());
        if (next.done === true) return undefined;
        yield this.toRow(next.value);
      }
    } finally {
      iterator.return?.();
    }
  }

  private toRow(row: unknown[]): unknown {
    if (this.mode === 'pluck') return toValue(row[0]);
    const values = row.map(toValue);
    if (this.mode === 'raw') return values;
    // A changed schema can change what `*` is.
    if (this.names.length !== row.length) this.names = this.columns().map(({ name }) => name);
    const named: Record<string, unknown> = {};
    for (const [at, name] of this.names.entries()) named[name] = values[at];
    return named;
  }
}

function toValue(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (!(value instanceof Uint8Array)) return value;
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

/** Values to bind as in better-sqlite3: undefined is null, and an array is several values. */
function bindable(values: readonly unknown[]): unknown[] {
  return values.flat().map((value) => {
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) {
      return bindableValue(value);
    }
    return Object.fromEntries(
      Object.entries(value).map(([name, named]) => [name, bindableValue(named)]),
    );
  });
}

/** Node.js 22 takes bytes without memory of their own for null. */
function bindableValue(value: unknown): unknown {
  if (ArrayBuffer.isView(value) && value.byteLength === 0) return Buffer.alloc(0);
  return value === undefined ? null : value;
}

/** An error of SQLite, as better-sqlite3 throws it. */
class SqliteError extends Error {
  override readonly name = 'SqliteError';
  readonly code: string;

  constructor(message: string, code: string, cause: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

function translatingErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translate(error);
  }
}

function translate(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error)) return error;
  const code = Number(error.errcode);
  const name = EXTENDED_CODES.get(code) ?? RESULT_CODES[code & 0xff] ?? code;
  return new SqliteError(error.message, `SQLITE_${name}`, error);
}

/** Those that mean more to svc than the primary code in their lowest byte. */
const EXTENDED_CODES: ReadonlyMap<number, string> = new Map([
  [0x13_0a, 'IOERR_SHMSIZE'],
  [0x06_08, 'READONLY_DIRECTORY'],
]);

/** By number; https://sqlite.org/rescode.html. */
const RESULT_CODES =
  `OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL
  CANTOPEN PROTOCOL EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB`.split(
    /\s+/u,
  );
