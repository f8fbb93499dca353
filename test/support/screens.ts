import type { PtyOptions } from './pty.js';
import { serverHome } from './serving.js';
import { CI_ENV, webhooksConfig } from './webhooks.js';

/** A screen as someone starts it. Every screen is listed here: a test compares with the folders of src/ui/screens. */
interface ScreenCase {
  /** Its folder. */
  readonly folder: string;
  readonly args: readonly string[];
}

/** Screens that stay open until a key or a signal ends them. */
export const SCREENS = {
  home: { folder: 'home', args: [] },
  search: { folder: 'search', args: ['memory', 'search'] },
  watch: { folder: 'watch', args: ['memory', 'index', '--watch'] },
  doctor: { folder: 'doctor', args: ['config', 'doctor'] },
  provider: { folder: 'provider', args: ['provider', 'test'] },
  candidates: { folder: 'candidates', args: ['dream', 'candidates'] },
  flows: { folder: 'flows', args: ['flow', 'watch'] },
  tasks: { folder: 'flows', args: ['task', 'watch'] },
  webhooks: { folder: 'webhooks', args: ['webhook', 'serve'] },
  serve: { folder: 'serve', args: ['serve'] },
  logs: { folder: 'logs', args: ['logs', '--follow'] },
} as const satisfies Readonly<Record<string, ScreenCase>>;

/** The name of a screen. */
export type ScreenName = keyof typeof SCREENS;

/** Folders of screens that end with their work. */
export const ENDING_SCREENS = ['index'] as const;

/** A state folder in which every screen has something to show, and no editor that waits. */
export function screenHome(): Pick<PtyOptions, 'env' | 'home'> {
  const home = serverHome(webhooksConfig());
  home.write(
    'workspace/memory/2026-02-03.md',
    '# Notes\n\nAda \u001B[31mruns\u001B[0m the night.\n',
  );
  return { home: home.path, env: { ...CI_ENV, VISUAL: '', EDITOR: 'true' } };
}
