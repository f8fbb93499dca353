import { PassThrough } from 'node:stream';
import { render as renderInMemory } from 'ink-testing-library';
import type { ReactElement } from 'react';
import { createInputReader, InputContext } from '../../src/ui/terminal/input.js';

/** A view in ink's own renderer, without a terminal. */
interface RenderedView {
  readonly stdin: { readonly write: (keys: string) => void };
  readonly lastFrame: () => string | undefined;
  readonly unmount: () => void;
}

/** Renders a view that gets what is typed. */
export function render(view: ReactElement): RenderedView {
  const stdin = new PassThrough();
  const reader = createInputReader(stdin, () => undefined);
  reader.start();
  const { lastFrame, unmount } = renderInMemory(<InputContext value={reader}>{view}</InputContext>);
  return {
    stdin: { write: (keys) => void stdin.write(keys) },
    lastFrame,
    unmount: () => {
      unmount();
      reader.stop();
    },
  };
}
