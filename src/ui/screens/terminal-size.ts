import { useSyncExternalStore } from 'react';

/** A terminal's size in character cells. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** What a terminal is taken for that does not tell its size. */
const FALLBACK: TerminalSize = { columns: 80, rows: 24 };

/** The size of the terminal, followed as it changes. */
export function useTerminalSize(stdout: NodeJS.WriteStream): TerminalSize {
  const subscribe = (listener: () => void): (() => void) => {
    stdout.on('resize', listener);
    return () => stdout.off('resize', listener);
  };
  const columns = useSyncExternalStore(subscribe, () => stdout.columns || FALLBACK.columns);
  const rows = useSyncExternalStore(subscribe, () => stdout.rows || FALLBACK.rows);
  return { columns, rows };
}
