import { safeLine } from './safe-text.js';

/** A path for people: the home folder as `~`, nothing in it that could drive the terminal. */
export function shownPath(path: string, homeDir: string): string {
  const home = homeDir.endsWith('/') ? homeDir.slice(0, -1) : homeDir;
  const below = home !== '' && path.startsWith(`${home}/`);
  return safeLine(below ? `~${path.slice(home.length)}` : path);
}
