/** Words of a command line like `--seed 7 queries`. */
export interface Words {
  /** Those without dashes, in order. */
  readonly names: readonly string[];
  /** A positive number behind `--name`; undefined when it is not there. @throws Error on anything else */
  readonly number: (name: string) => number | undefined;
}

/**
 * Reads the command line of a script.
 *
 * @param known the flags that there are; each takes a number
 * @throws Error for a flag that is not known
 */
export function readWords(args: readonly string[], known: readonly string[]): Words {
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
        `there is no --${name}; there are ${known.map((flag) => `--${flag} N`).join(', ')}`,
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
        throw new Error(`--${name} takes a number above 0`);
      }
      return number;
    },
  };
}
