/**
 * What `import … from 'uvu'` gives in every test, by `paths` in tsconfig.json. uvu takes `details` of an error
 * for text and expects every error to have a name: otherwise, it ends the suite without printing a failure, and
 * with exit code 0. A hook that fails ends a suite silently, too.
 */
import { createRequire } from 'node:module';
import { inspect } from 'node:util';
import type { Callback, suite as Suite, Test } from '../../node_modules/uvu/index.js';

const uvu: { readonly suite: typeof Suite } = createRequire(import.meta.url)(
  '../../node_modules/uvu/dist/index.js',
);

export function suite<T = unknown>(title?: string, context?: T): Test<T> {
  const uvuSuite = uvu.suite(title, context);
  const hook = (add: Test<T>['before']): Test<T>['before'] =>
    Object.assign((work: Callback<T>) => add(printingFailures(work)), {
      each: (work: Callback<T>) => add.each(printingFailures(work)),
    });
  return Object.assign(
    (name: string, work: Callback<T>) => uvuSuite(name, withPrintableErrors(work)),
    {
      only: (name: string, work: Callback<T>) => uvuSuite.only(name, withPrintableErrors(work)),
      skip: uvuSuite.skip,
      before: hook(uvuSuite.before),
      after: hook(uvuSuite.after),
      run: uvuSuite.run,
    },
  );
}

export const test = suite();

function withPrintableErrors<T>(work: Callback<T>): Callback<T> {
  return async (context) => {
    try {
      await work(context);
    } catch (error) {
      throw asPrintable(error);
    }
  };
}

function asPrintable(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(`not an error: ${inspect(error)}`);
  if ('details' in error && error.details !== undefined && typeof error.details !== 'string') {
    Object.defineProperty(error, 'details', { value: inspect(error.details, { depth: 5 }) });
  }
  return error;
}

function printingFailures<T>(work: Callback<T>): Callback<T> {
  return async (context) => {
    try {
      await work(context);
    } catch (error) {
      process.stderr.write(`a hook failed: ${inspect(error)}\n`);
      throw error;
    }
  };
}
