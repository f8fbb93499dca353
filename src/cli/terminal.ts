/** What the program may do with the terminal it runs on; decided once, before any screen is loaded. */
export interface TerminalSupport {
  /** Both ends are a terminal and nobody asked for plain lines: an ink screen may take over. */
  readonly screen: boolean;
  /** stderr is a terminal: a one-line progress note may be redrawn there. */
  readonly progress: boolean;
  /** stdout takes colour. */
  readonly color: boolean;
  /** Width of the terminal in columns; 80 when there is none. */
  readonly columns: number;
}

interface Streams {
  readonly stdin: { readonly isTTY?: boolean };
  readonly stdout: { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: { readonly isTTY?: boolean };
}

/**
 * Output contract: not a TTY, `NO_COLOR`, `CI`, `TERM=dumb`, `--json` or `--plain` mean no screen,
 * no colour, no cursor movement. `FORCE_COLOR` brings back the colour alone.
 */
export function terminalSupport(
  env: Readonly<Record<string, string | undefined>>,
  streams: Streams,
  wanted: { readonly json: boolean; readonly plain: boolean },
): TerminalSupport {
  const set = (name: string): boolean => (env[name] ?? '') !== '' && env[name] !== '0';
  const calm = wanted.json || wanted.plain || set('CI') || env['TERM'] === 'dumb';
  const terminal = streams.stdout.isTTY === true;
  const forced = set('FORCE_COLOR') && !wanted.json;
  return {
    screen: terminal && streams.stdin.isTTY === true && !calm,
    progress: streams.stderr.isTTY === true && !calm && !set('NO_COLOR'),
    color: forced || (terminal && !calm && !set('NO_COLOR')),
    columns: streams.stdout.columns ?? 80,
  };
}
