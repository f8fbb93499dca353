import { randomSource } from './fuzz-requests.js';
import { assertTerminalRestored, type PtySession, runInPty } from './pty.js';
import { SCREENS, type ScreenName, screenHome } from './screens.js';
import { KEYS } from './terminal.js';
import { waitFor } from './wait.js';

const ESC = '\u001B';
/** Keys, mouse, reports, broken sequences and pastes; inputs that end a screen are rare. */
const INPUTS: readonly string[] = [
  ...Object.values(KEYS).filter((key) => key !== KEYS.ctrlC && key !== KEYS.pasteBegins),
  ...'jkgGhlnNyYpxwuaAerRfcio/?#@ 1é日🚗',
  ...[
    `${ESC}[3~`,
    `${ESC}[Z`,
    `${ESC}b`,
    `${ESC}[1;5C`,
    `${ESC}[1;3D`,
    '\u0005',
    '\u000B',
    '\u0000',
  ],
  ...[`${ESC}[<0;5;5M${ESC}[<0;5;5m`, `${ESC}[<64;5;5M`, `${ESC}[<65;9;9M`, `${ESC}[M !!`],
  ...[`${ESC}[31mred${ESC}[0m`, `${ESC}[12;40R`, `${ESC}[I`, `${ESC}[O`, `${ESC}]0;title\u0007`],
  ...[`${ESC}[`, `${ESC}O`, `${ESC}]11;rgb:0/0`, `${ESC}P1+r`, `${ESC}${ESC}`, '\u009B31m'],
  `${KEYS.pasteBegins}${ESC}[31mpasted${ESC}[0m\r\nq\u0003${KEYS.pasteEnds}`,
  ...['jjjjjj', 'backup night', 'x'.repeat(300)],
];
const ENDS = ['q', KEYS.ctrlC] as const;
/** One input in so many ends the screen. */
const END_RARITY = 80;

/** Random input to one screen. Whenever it ends, it is checked and started again. */
export async function playMonkey(name: ScreenName, seed: number, inputs: number): Promise<void> {
  const random = randomSource(seed);
  const options = screenHome();
  let left = inputs;
  while (left > 0) {
    const session = runInPty(SCREENS[name].args, options);
    let hasEnded = false;
    void session.ended.then(() => {
      hasEnded = true;
    });
    await waitFor(`the screen of ${name}`, () => session.screen.bracketedPaste || hasEnded);
    while (left > 0 && !hasEnded) {
      left -= 1;
      const isEnd = random(END_RARITY) === 0;
      session.type((isEnd ? ENDS : INPUTS)[random(isEnd ? ENDS.length : INPUTS.length)] ?? '');
      if (random(20) === 0) session.resize(1 + random(120), 1 + random(50));
      await new Promise((resolve) => setTimeout(resolve, random(4)));
    }
    const signal = SIGNALS[random(SIGNALS.length)] ?? 'SIGTERM';
    const at = `${name}, seed ${seed}, ${signal}`;
    if (!hasEnded) endWith(session, signal, name);
    await waitFor(`the end of ${at}`, () => hasEnded, session.output);
    // A terminal that was closed cannot be restored.
    if (signal !== 'close') assertTerminalRestored(session, at);
  }
}

/** `close` loses the terminal. */
const SIGNALS = ['SIGTERM', 'SIGHUP', 'close'] as const;

/** Only once, so that a screen that misses the signal is detected. */
function endWith(session: PtySession, how: (typeof SIGNALS)[number], name: ScreenName): void {
  if (how === 'close') {
    session.close();
    return;
  }
  session.kill(how);
  // At SIGHUP, a listener reloads its configuration and continues.
  const isListener = name === 'serve' || name === 'webhooks';
  if (how === 'SIGHUP' && isListener) session.kill('SIGTERM');
}
