/** The first Node.js whose ObjectWrap needs the current environment when it is destroyed. */
const FIRST_AFFECTED_MAJOR = 24;

/* Never read: it only keeps these objects reachable. */
const kept: object[] = [];

/**
 * Keeps better-sqlite3's native objects from garbage collection where that would abort the process.
 *
 * Since Node.js 24.19 the destructor of `node::ObjectWrap`, which better-sqlite3 12 compiles in, looks
 * for the current environment. During a garbage collection there is none, and the process aborts
 * ("Assertion failed: (env) != nullptr" in RemoveEnvironmentCleanupHook; seen here with 24.21).
 * better-sqlite3 13 does without ObjectWrap but needs Node.js 22, and we still run on 20. Each
 * `Statement.iterate` creates one more object that is kept: avoid it where it would run often.
 *
 * To keep memory of long-running processes bounded, a connection compiles each statement once
 * ({@link SharedStatements}), and frequent users keep their connection open. Pragmas are not shared: some
 * of them act while they are compiled.
 */
export function keepNativeObjects(database: object, nodeVersion: string): void {
  if (Number.parseInt(nodeVersion, 10) < FIRST_AFFECTED_MAJOR) return;
  const native = nativePart(database);
  if (native === undefined) return;
  const keep = (made: unknown): void => {
    if (typeof made === 'object' && made !== null) kept.push(made);
  };
  kept.push(database, native);
  replaceMethod(native, 'backup', (make, args) => {
    const made = make(...args);
    keep(made);
    return made;
  });
  let compile: (sql: string) => unknown = () => undefined;
  const shared = new SharedStatements((sql) => compile(sql), keep);
  replaceMethod(native, 'prepare', (make, args) => {
    const [sql, wrapper, isPragma] = args;
    compile = (text) => make(text, wrapper, false);
    if (isPragma !== true && typeof sql === 'string') return shared.prepare(sql);
    const made = make(...args);
    keep(made);
    return made;
  });
}

type Method = (...args: readonly unknown[]) => unknown;

function replaceMethod(
  native: object,
  name: string,
  replacement: (original: Method, args: readonly unknown[]) => unknown,
): void {
  const original: unknown = Reflect.get(native, name);
  if (typeof original !== 'function') return;
  const make: Method = (...args) => Reflect.apply(original, native, args);
  Reflect.set(native, name, (...args: unknown[]): unknown => replacement(make, args));
}

/** better-sqlite3 keeps its native database under a private symbol. */
function nativePart(database: object): object | undefined {
  for (const symbol of Object.getOwnPropertySymbols(database)) {
    const value: unknown = Reflect.get(database, symbol);
    if (typeof value === 'object' && value !== null && 'prepare' in value) return value;
  }
  return undefined;
}

/** The part of better-sqlite3's native statements that is used. */
interface NativeStatement {
  run(...values: readonly unknown[]): unknown;
  get(...values: readonly unknown[]): unknown;
  all(...values: readonly unknown[]): unknown;
  iterate(...values: readonly unknown[]): Iterable<unknown>;
  columns(): unknown;
  pluck(on: boolean): unknown;
  raw(on: boolean): unknown;
  readonly reader: boolean;
}

type Mode = 'pluck' | 'raw' | 'rows';

/** The statements of one connection, each compiled only once. */
class SharedStatements {
  private readonly compile: (sql: string) => unknown;
  private readonly keep: (made: object) => void;
  private readonly idle = new Map<string, NativeStatement[]>();

  /** @param keep called with every native object */
  constructor(compile: (sql: string) => unknown, keep: (made: object) => void) {
    this.compile = compile;
    this.keep = keep;
  }

  /** @throws SQLite's error for the statement */
  prepare(sql: string): SharedStatement {
    this.putBack(sql, this.take(sql));
    return new SharedStatement(this, sql);
  }

  /** Lends a native statement; concurrent use of the same text gets another one. */
  use<T>(sql: string, mode: Mode, work: (statement: NativeStatement) => T): T {
    const statement = this.take(sql);
    try {
      setMode(statement, mode);
      return work(statement);
    } finally {
      this.putBack(sql, statement);
    }
  }

  *iterate(sql: string, mode: Mode, values: readonly unknown[]): Generator<unknown> {
    const statement = this.take(sql);
    try {
      setMode(statement, mode);
      const rows = statement.iterate(...values);
      this.keep(rows);
      yield* rows;
    } finally {
      this.putBack(sql, statement);
    }
  }

  private take(sql: string): NativeStatement {
    const idle = this.idle.get(sql)?.pop();
    if (idle !== undefined) return idle;
    const made = this.compile(sql);
    if (!isNativeStatement(made)) throw new TypeError('better-sqlite3 prepared no statement');
    this.keep(made);
    return made;
  }

  private putBack(sql: string, statement: NativeStatement): void {
    const idle = this.idle.get(sql);
    if (idle === undefined) this.idle.set(sql, [statement]);
    else idle.push(statement);
  }
}

/** One preparation of a statement: its modes are its own, the compiled form is shared. */
class SharedStatement {
  readonly source: string;
  private readonly shared: SharedStatements;
  private mode: Mode = 'rows';

  constructor(shared: SharedStatements, sql: string) {
    this.shared = shared;
    this.source = sql;
  }

  get reader(): boolean {
    return this.shared.use(this.source, this.mode, (statement) => statement.reader);
  }

  pluck(on = true): this {
    this.mode = on ? 'pluck' : 'rows';
    return this;
  }

  raw(on = true): this {
    this.mode = on ? 'raw' : 'rows';
    return this;
  }

  columns(): unknown {
    return this.shared.use(this.source, this.mode, (statement) => statement.columns());
  }

  run(...values: readonly unknown[]): unknown {
    return this.shared.use(this.source, this.mode, (statement) => statement.run(...values));
  }

  get(...values: readonly unknown[]): unknown {
    return this.shared.use(this.source, this.mode, (statement) => statement.get(...values));
  }

  all(...values: readonly unknown[]): unknown {
    return this.shared.use(this.source, this.mode, (statement) => statement.all(...values));
  }

  iterate(...values: readonly unknown[]): Generator<unknown> {
    return this.shared.iterate(this.source, this.mode, values);
  }
}

/** Only statements that return rows have a mode. */
function setMode(statement: NativeStatement, mode: Mode): void {
  if (!statement.reader) return;
  statement.pluck(mode === 'pluck');
  statement.raw(mode === 'raw');
}

function isNativeStatement(value: unknown): value is NativeStatement {
  if (typeof value !== 'object' || value === null) return false;
  return ['run', 'get', 'all', 'iterate', 'pluck', 'raw', 'columns'].every(
    (method) => typeof Reflect.get(value, method) === 'function',
  );
}
