import { createStyle, type Theme } from '../ui/style.js';
import type { ScreenOptions } from '../ui/terminal/mount-screen.js';

/** What the program may do with its terminal; decided once, before any screen is loaded. */
export interface TerminalSupport {
  /** stdin and stdout are a terminal and plain output was not requested: screens may be shown. */
  readonly screen: boolean;
  /** So is stderr, where questions are written: they can be seen and answered. */
  readonly questions: boolean;
  /** The same with plain output: a confirmation is one line. */
  readonly confirmations: boolean;
  /** stderr is a terminal: a progress line may be redrawn there. */
  readonly progress: boolean;
  /** stdout is coloured. */
  readonly color: boolean;
  readonly theme: Theme;
  /** Whether screens react to the mouse. */
  readonly mouse: boolean;
  /** Width of the terminal in columns; 80 when unknown. */
  readonly columns: number;
}

interface Streams {
  readonly stdin: { readonly isTTY?: boolean };
  readonly stdout: { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: { readonly isTTY?: boolean };
}

/**
 * Without a terminal, and with `NO_COLOR`, `CI`, `TERM=dumb`, `--json` or `--plain`, there is no screen, no colour
 * and no cursor movement. `CI` counts as it does for ink, which draws no frames there. `FORCE_COLOR` and
 * `CLICOLOR_FORCE` turn colour back on, except in JSON.
 */
export function terminalSupport(
  env: Readonly<Record<string, string | undefined>>,
  streams: Streams,
  flags: { readonly json: boolean; readonly plain: boolean },
  ui: { readonly theme: 'auto' | Theme; readonly mouse: boolean } = { theme: 'auto', mouse: true },
): TerminalSupport {
  const set = (name: string): boolean => (env[name] ?? '') !== '' && env[name] !== '0';
  const ci = ['CI', 'CONTINUOUS_INTEGRATION'].some((name) => set(name) && env[name] !== 'false');
  const plain = flags.json || flags.plain || ci || env['TERM'] === 'dumb';
  const terminal = streams.stdout.isTTY === true;
  const answerable = terminal && streams.stdin.isTTY === true;
  const screen = answerable && !plain;
  const forced = (set('FORCE_COLOR') || set('CLICOLOR_FORCE')) && !flags.json;
  return {
    screen,
    questions: screen && streams.stderr.isTTY === true,
    confirmations: answerable && streams.stderr.isTTY === true && !flags.json && !ci,
    progress: streams.stderr.isTTY === true && !plain && !set('NO_COLOR'),
    color: forced || (terminal && !plain && !set('NO_COLOR')),
    theme: ui.theme === 'auto' ? themeOf(env['COLORFGBG']) : ui.theme,
    mouse: ui.mouse,
    // A terminal without a size reports 0.
    columns: streams.stdout.columns || 80,
  };
}

/** The background is the last number; of the 16 colours, 7 and 9 to 15 are light. */
function themeOf(colors: string | undefined): Theme {
  const background = /;(\d{1,2})$/u.exec(colors ?? '')?.[1];
  if (background === undefined) return 'any';
  const number = Number(background);
  return number === 7 || number > 8 ? 'light' : 'dark';
}

/**
 * OSC 52 reaches the clipboard of the user's terminal, also through ssh and tmux. The Terminal of macOS ignores it, so there,
 * the system's program does the same.
 */
export function toClipboard(text: string): void {
  process.stdout.write(`\u001B]52;c;${Buffer.from(text).toString('base64')}\u0007`);
  const { env, platform } = process;
  if (platform !== 'darwin' || env['SSH_CONNECTION']) return;
  const { spawn } = process.getBuiltinModule('node:child_process');
  const child = spawn('pbcopy', {
    // It takes the text for that of an older encoding where no locale is set.
    env: { ...env, LC_CTYPE: 'UTF-8' },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.on('error', () => undefined);
  child.stdin.on('error', () => undefined);
  child.stdin.end(text);
}

/** Without colour, the text of a screen is still bold, dim or reversed. */
export function screenOptions({ color, theme, mouse }: TerminalSupport): ScreenOptions {
  const { stdin, stdout } = process;
  return { stdin, stdout, mouse, style: createStyle(true, color ? theme : 'none') };
}
