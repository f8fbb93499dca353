import * as assert from 'uvu/assert';
import { randomSource } from './fuzz-requests.js';
import { type PtySession, runInPty } from './pty.js';
import { SCREENS, type ScreenName, screenHome } from './screens.js';
import { KEYS, waitFor } from './terminal.js';

const ESC = '\u001B';
/** Keys, mouse, reports, broken sequences and pastes; what ends a screen is rare. */
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
const RARELY = 80;

/** Random input to one screen. Whenever it ends, it is checked and started again. */
export async function playMonkey(name: ScreenName, seed: number, inputs: number): Promise<void> {
  const random = randomSource(seed);
  const what = screenHome();
  let left = inputs;
  while (left > 0) {
    const session = runInPty(SCREENS[name].args, { ...what, columns: 80, rows: 24 });
    let hasEnded = false;
    void session.ended.then(() => {
      hasEnded = true;
    });
    await waitFor(`the screen of ${name}`, () => session.screen.bracketedPaste || hasEnded);
    while (left > 0 && !hasEnded) {
      left -= 1;
      const isEnd = random(RARELY) === 0;
      session.type((isEnd ? ENDS : INPUTS)[random(isEnd ? ENDS.length : INPUTS.length)] ?? '');
      if (random(20) === 0) session.resize(1 + random(120), 1 + random(50));
      await new Promise((resolve) => setTimeout(resolve, random(4)));
    }
    // A listener reloads its configuration.
    const isListener = name === 'serve' || name === 'webhooks';
    const signal = isListener || seed % 2 === 0 ? 'SIGTERM' : 'SIGHUP';
    await endAndCheck(session, () => hasEnded, signal, `${name}, seed ${seed}`);
  }
}

/** A screen opened from another one ends alone. */
const RESENT_MS = 1500;

/** Ends a screen that may be in any state, and checks that nothing of it is left. */
async function endAndCheck(
  session: PtySession,
  hasEnded: () => boolean,
  signal: 'SIGHUP' | 'SIGTERM',
  what: string,
): Promise<void> {
  const asks = setInterval(() => {
    if (!hasEnded()) session.kill(signal);
  }, RESENT_MS);
  if (!hasEnded()) session.kill(signal);
  await waitFor(`the end of ${what}`, hasEnded, session.output);
  clearInterval(asks);
  assertLeft(session, what);
}

/** The terminal is as it was, and nothing failed. */
function assertLeft(session: PtySession, what: string): void {
  const { screen } = session;
  assert.is(screen.alternate, false, `${what}: the alternate screen`);
  assert.is(screen.cursorShown, true, `${what}: the cursor`);
  assert.is(screen.bracketedPaste, false, `${what}: pastes`);
  assert.is(screen.mouse, false, `${what}: the mouse`);
  assert.not.match(session.output(), /\n *at .+:\d+:\d+|BUG/u, `${what}: a stack trace`);
}
