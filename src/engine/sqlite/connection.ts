/**
 * An open SQLite database, as both drivers provide it: better-sqlite3 as it is, and Node's own `node:sqlite`
 * through node-driver.ts. Errors of SQLite have a `code` like `SQLITE_BUSY`.
 */
export interface Connection {
  /** The file's path; empty or `:memory:` in memory. */
  readonly name: string;
  readonly inTransaction: boolean;
  prepare<Params extends unknown[] | object = unknown[], Row = unknown>(
    sql: string,
  ): Params extends unknown[] ? Statement<Params, Row> : Statement<[Params], Row>;
  exec(sql: string): unknown;
  /** All rows, or with `simple` the first column of the first one. */
  pragma(source: string, options?: { readonly simple?: boolean }): unknown;
  /** Commits if the work returns and rolls back if it throws; a savepoint inside another transaction. */
  transaction<Result>(work: () => Result): Transaction<Result>;
  function(
    name: string,
    options: { readonly deterministic: boolean },
    implementation: (...values: unknown[]) => unknown,
  ): unknown;
  /** The types of better-sqlite3 omit the second argument. */
  loadExtension(path: string, entryPoint?: string): unknown;
  /**
   * @param options.progress gives how many pages to copy before other work of this process
   * @returns 0 pages if another connection writes the file
   */
  backup(file: string, options: { progress: () => number }): Promise<{ totalPages: number }>;
  close(): unknown;
}

/** A compiled statement; named values are one object. */
export interface Statement<Params extends unknown[] = unknown[], Row = unknown> {
  run(...values: Params): {
    readonly changes: number;
    readonly lastInsertRowid: bigint | number;
  };
  get(...values: Params): Row | undefined;
  all(...values: Params): Row[];
  iterate(...values: Params): IterableIterator<Row>;
  /** Rows become the value of their first column. */
  pluck(): this;
  /** Rows become arrays. */
  raw(): this;
  columns(): readonly { readonly name: string }[];
}

/** Runs its work in a transaction, which takes the lock for writing with the first write, or at once. */
export interface Transaction<Result> {
  (): Result;
  immediate(): Result;
}

/** How a database is opened. */
export interface OpenOptions {
  readonly readonly?: boolean;
  readonly fileMustExist?: boolean;
  /** How long a statement waits for another connection's lock, in milliseconds. */
  readonly timeout?: number;
}

/** What opens databases: the package better-sqlite3, or the SQLite of Node.js. */
export interface Driver {
  readonly name: 'better-sqlite3' | 'node:sqlite';
  /** @param source a file, or the bytes of a database, to read a copy of it */
  readonly connect: (source: Buffer | string, options: OpenOptions) => Connection;
}
