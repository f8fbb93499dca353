import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { createContext, useContext, useEffect } from 'react';
import { createInputDecoder, type InputEvent, type MouseEvent } from './input-decoder.js';
import type { Area } from './size.js';

interface InputSource {
  /** @returns unsubscribes */
  readonly subscribe: (listener: (event: InputEvent) => void) => () => void;
}

/** Reads a terminal while a screen is shown. */
export interface InputReader extends InputSource {
  readonly start: () => void;
  readonly stop: () => void;
}

/** After this time without another character, ESC was the key and not the beginning of a sequence. */
const SEQUENCE_MS = 40;
/** A slow line sends a paste in pieces. */
const PASTE_MS = 3000;
/** Keys typed before the first frame wait for it. */
const MOST_WAITING = 1000;

/** Creates a reader of a terminal in raw mode. @param onSuspend called for Ctrl-Z, which no screen gets */
export function createInputReader(stdin: Readable, onSuspend: () => void): InputReader {
  const listeners = new Set<(event: InputEvent) => void>();
  const decoder = createInputDecoder();
  // Not setEncoding: it cannot be undone for whoever reads stdin afterwards.
  const characters = new StringDecoder('utf8');
  let waiting: InputEvent[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isReading = false;

  const emit = (events: readonly InputEvent[]): void => {
    for (const event of events) {
      // What was typed right after the key that lent the terminal was not meant for the screen.
      if (!isReading) return;
      if (event.type === 'key' && event.name === 'ctrl-z') onSuspend();
      else if (listeners.size > 0) for (const listener of [...listeners]) listener(event);
      else if (waiting.length < MOST_WAITING) waiting.push(event);
    }
  };
  const onData = (data: Buffer | string): void => {
    clearTimeout(timer);
    emit(decoder.push(typeof data === 'string' ? data : characters.write(data)));
    const pending = decoder.pending();
    if (pending === 'nothing') return;
    timer = setTimeout(() => emit(decoder.flush()), pending === 'paste' ? PASTE_MS : SEQUENCE_MS);
  };
  return {
    subscribe: (listener) => {
      listeners.add(listener);
      // All parts of the view subscribe before the first event.
      if (waiting.length > 0) {
        queueMicrotask(() => {
          const events = waiting;
          waiting = [];
          emit(events);
        });
      }
      return () => listeners.delete(listener);
    },
    start: () => {
      isReading = true;
      stdin.on('data', onData);
      stdin.resume();
    },
    stop: () => {
      isReading = false;
      clearTimeout(timer);
      stdin.off('data', onData);
      stdin.pause();
    },
  };
}

/** The input of a view; a view that is only rendered gets none. */
export const InputContext = createContext<InputSource>({ subscribe: () => () => undefined });

/** Calls a function for each event of the terminal. */
export function useInput(onEvent: (event: InputEvent) => void): void {
  const { subscribe } = useContext(InputContext);
  useEffect(() => subscribe(onEvent), [subscribe, onEvent]);
}

/**
 * Calls a function for clicks and the wheel in a part of the terminal.
 *
 * @param onMouse gets the column and row within the part
 */
export function useMouse(area: Area, onMouse: (event: MouseEvent) => void): void {
  useInput((event) => {
    if (event.type !== 'mouse') return;
    const column = event.column - area.x;
    const row = event.row - area.y;
    if (column < 0 || column >= area.columns || row < 0 || row >= area.rows) return;
    onMouse({ ...event, column, row });
  });
}
