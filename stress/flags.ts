import { parseArgs } from 'node:util';

/** A parsed command line like `--seed 7 queries`. */
export interface CommandLine {
  /** Positional arguments, in order. */
  readonly names: readonly string[];
  /** The value of `--name`, if given. @throws Error if it is not a positive number */
  readonly number: (name: string) => number | undefined;
}

/**
 * Parses the command line of this script.
 *
 * @param known the flags; each takes a number
 * @throws Error for an unknown flag
 */
export function parseCommandLine(...known: readonly string[]): CommandLine {
  const options = Object.fromEntries(known.map((name) => [name, { type: 'string' } as const]));
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  return {
    names: positionals,
    number: (name) => {
      const text = values[name];
      if (text === undefined) return undefined;
      const number = Number(text);
      if (text === '' || !Number.isFinite(number) || number <= 0) {
        throw new Error(`--${name} must be a positive number (got "${text}")`);
      }
      return number;
    },
  };
}
