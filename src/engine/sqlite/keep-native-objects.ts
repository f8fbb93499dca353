import { SharedStatements } from './shared-statements.js';

/** The first Node.js whose ObjectWrap asks for the current environment when it is destroyed. */
const FIRST_AFFECTED_MAJOR = 24;

/*
 * Not state that anything reads: only a place from which these objects can be reached.
 */
const kept: object[] = [];

/**
 * Keeps better-sqlite3's native objects from being collected where that ends the process.
 *
 * Since Node.js 24.19 the destructor of `node::ObjectWrap`, which better-sqlite3 12 compiles in, looks
 * for the current environment. During a garbage collection there is none, and the process aborts
 * ("Assertion failed: (env) != nullptr" in RemoveEnvironmentCleanupHook; seen here with 24.21).
 * better-sqlite3 13 does without ObjectWrap but needs Node.js 22, and we still run on 20. The objects
 * behind `Statement.iterate` cannot be reached from here: it must not be used.
 *
 * So that a process that runs for months does not grow with what it keeps, a connection compiles
 * each statement once ({@link SharedStatements}); whoever works often keeps its connection open.
 * Pragmas are not shared: some of them act while they are compiled.
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

/** better-sqlite3 holds its native database under a symbol of its own. */
function nativePart(database: object): object | undefined {
  for (const symbol of Object.getOwnPropertySymbols(database)) {
    const value: unknown = Reflect.get(database, symbol);
    if (typeof value === 'object' && value !== null && 'prepare' in value) return value;
  }
  return undefined;
}
