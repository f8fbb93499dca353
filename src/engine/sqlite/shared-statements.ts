/** What is used of better-sqlite3's native statements. */
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

/** The statements of one connection, each compiled once however often it is prepared. */
export class SharedStatements {
  private readonly compile: (sql: string) => unknown;
  private readonly keep: (made: object) => void;
  private readonly idle = new Map<string, NativeStatement[]>();

  /** @param keep is told of every native object that is made */
  constructor(compile: (sql: string) => unknown, keep: (made: object) => void) {
    this.compile = compile;
    this.keep = keep;
  }

  /** @throws what SQLite says of the statement */
  prepare(sql: string): SharedStatement {
    this.putBack(sql, this.take(sql));
    return new SharedStatement(this, sql);
  }

  /** Lends a native statement to one piece of work; another use of the same one gets its twin. */
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

/** One preparation of a statement: what it is asked for is its own, the compiled form is shared. */
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

/** Only statements that give rows have a mode. */
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
