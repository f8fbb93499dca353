import { askText } from '../prompts.js';

/** Waits below the output of something that ran outside of the screen. */
export async function pressEnter(signal: AbortSignal): Promise<void> {
  // Without a screen, the process would exit while it waits for stdin.
  process.stdin.ref();
  try {
    const help = 'Enter returns to the home screen.';
    await askText('Press Enter to go back', { standard: ' ', help, signal });
  } finally {
    // The last prompt stops reading stdin one tick after its answer; see terminal/session.ts.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
