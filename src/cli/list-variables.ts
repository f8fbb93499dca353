/** What of a flag decides here; oclif's definitions have it, and so has the manifest. */
export interface KnownFlag {
  readonly type: 'boolean' | 'option';
  readonly multiple?: boolean | undefined;
  readonly env?: string | undefined;
  readonly char?: string | undefined;
}

/**
 * A command line with the values from the variables of repeatable flags that were not typed: `SVC_TAG=a,b` is
 * `--tag=a --tag=b`. oclif would pass the text of the variable on instead of a list.
 *
 * @param isTyped whether a flag is on the command line
 */
export function withListVariables(
  argv: readonly string[],
  flags: Readonly<Record<string, KnownFlag>>,
  env: Readonly<Record<string, string | undefined>>,
  isTyped: (name: string, char: string | undefined) => boolean,
): string[] {
  const words = Object.entries(flags).flatMap(([name, flag]) => {
    if (flag.type !== 'option' || !flag.multiple || flag.env === undefined) return [];
    const values = (env[flag.env] ?? '').split(',').map((value) => value.trim());
    if (isTyped(name, flag.char)) return [];
    return values.filter((value) => value !== '').map((value) => `--${name}=${value}`);
  });
  const end = argv.indexOf('--');
  const at = end === -1 ? argv.length : end;
  // Last, since a repeatable flag may take all words that follow it.
  return [...argv.slice(0, at), ...words, ...argv.slice(at)];
}
