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
 * better-sqlite3 13 does without ObjectWrap but needs Node.js 22, and we still run on 20. A connection
 * has a few dozen statements; SQLite's part of them is freed when it is closed. The objects behind
 * `Statement.iterate` cannot be reached from here: it must not be used.
 */
export function keepNativeObjects(database: object, nodeVersion: string): void {
  if (Number.parseInt(nodeVersion, 10) < FIRST_AFFECTED_MAJOR) return;
  const native = nativePart(database);
  if (native === undefined) return;
  kept.push(database, native);
  for (const maker of ['prepare', 'backup']) {
    const make: unknown = Reflect.get(native, maker);
    if (typeof make !== 'function') continue;
    Reflect.set(native, maker, (...args: unknown[]): unknown => {
      const made: unknown = Reflect.apply(make, native, args);
      if (typeof made === 'object' && made !== null) kept.push(made);
      return made;
    });
  }
}

/** better-sqlite3 holds its native database under a symbol of its own. */
function nativePart(database: object): object | undefined {
  for (const symbol of Object.getOwnPropertySymbols(database)) {
    const value: unknown = Reflect.get(database, symbol);
    if (typeof value === 'object' && value !== null && 'prepare' in value) return value;
  }
  return undefined;
}
