/** A parsed command line like `--seed 7 queries`. */
export interface CommandLine {
  /** Positional arguments, in order. */
  readonly names: readonly string[];
  /** The value of `--name`, if given. @throws Error if it is not a positive number */
  readonly number: (name: string) => number | undefined;
}

/**
 * Parses the command line of a script.
 *
 * @param known the flags; each takes a number
 * @throws Error for an unknown flag
 */
export function parseCommandLine(args: readonly string[], known: readonly string[]): CommandLine {
  const names: string[] = [];
  const values = new Map<string, string>();
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (!word.startsWith('--')) {
      names.push(word);
      continue;
    }
    const [name = '', joined] = word.slice(2).split('=');
    if (!known.includes(name)) {
      throw new Error(
        `unknown flag --${name}; known: ${known.map((flag) => `--${flag} N`).join(', ')}`,
      );
    }
    values.set(name, joined ?? args[++at] ?? '');
  }
  return {
    names,
    number: (name) => {
      const text = values.get(name);
      if (text === undefined) return undefined;
      const number = Number(text);
      if (text === '' || !Number.isFinite(number) || number <= 0) {
        throw new Error(`--${name} must be a positive number (got "${text}")`);
      }
      return number;
    },
  };
}
