import { useCallback, useSyncExternalStore } from 'react';

/** The size of a terminal in cells. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** A part of the terminal, counted from its top left corner. */
export interface Area extends TerminalSize {
  readonly x: number;
  readonly y: number;
}

/** The assumed size of a terminal that reports none. */
const FALLBACK_SIZE: TerminalSize = { columns: 80, rows: 24 };

/** What screens fill at most: a terminal can report 65,535 each way, and drawing that many cells never ends. */
const LARGEST_SIZE: TerminalSize = { columns: 1000, rows: 500 };

/** The width of a terminal. */
export function terminalColumns(stdout: NodeJS.WriteStream): number {
  return Math.min(stdout.columns || FALLBACK_SIZE.columns, LARGEST_SIZE.columns);
}

function terminalRows(stdout: NodeJS.WriteStream): number {
  return Math.min(stdout.rows || FALLBACK_SIZE.rows, LARGEST_SIZE.rows);
}

/** The current size of the terminal. */
export function useTerminalSize(stdout: NodeJS.WriteStream): TerminalSize {
  // React subscribes again whenever it gets another function.
  const subscribe = useCallback(
    (listener: () => void) => {
      stdout.on('resize', listener);
      return () => {
        stdout.off('resize', listener);
      };
    },
    [stdout],
  );
  const columns = useSyncExternalStore(subscribe, () => terminalColumns(stdout));
  const rows = useSyncExternalStore(subscribe, () => terminalRows(stdout));
  return { columns, rows };
}
