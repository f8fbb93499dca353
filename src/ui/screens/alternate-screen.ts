const ENTER = '\u001B[?1049h\u001B[H';
const LEAVE = '\u001B[?1049l';
const BRACKETED_PASTE_ON = '\u001B[?2004h';
const BRACKETED_PASTE_OFF = '\u001B[?2004l';
const WIPE = '\u001B[2J\u001B[H';

/** The terminal's second buffer, which leaves the person's scrollback alone. */
export interface AlternateScreen {
  /** Gives the first buffer back; once is enough, more does no harm. */
  readonly leave: () => void;
}

/**
 * Enters the alternate screen, with pastes marked as such. After a resize terminals disagree about
 * where the old lines are, so it is wiped before anything is drawn at the new size.
 */
export function enterAlternateScreen(stdout: NodeJS.WriteStream): AlternateScreen {
  const wipe = (): void => {
    stdout.write(WIPE);
  };
  stdout.write(ENTER + BRACKETED_PASTE_ON);
  stdout.prependListener('resize', wipe);
  let entered = true;
  return {
    leave: () => {
      if (!entered) return;
      entered = false;
      stdout.off('resize', wipe);
      stdout.write(BRACKETED_PASTE_OFF + LEAVE);
    },
  };
}
