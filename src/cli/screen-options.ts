import { createStyle, type Style } from '../ui/style.js';
import type { ScreenStreams } from '../ui/terminal/session.js';
import type { TerminalSupport } from './terminal.js';

/** What every screen gets: the terminal, and its look. Without colour, text is still bold, dim or reversed. */
export function screenOptions({
  color,
  theme,
  mouse,
}: TerminalSupport): ScreenStreams & { readonly style: Style } {
  const { stdin, stdout } = process;
  return { stdin, stdout, mouse, style: createStyle(true, color ? theme : 'none') };
}
