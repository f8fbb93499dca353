import { Box } from 'ink';
import type { ReactElement } from 'react';
import type { Style } from '../style.js';
import { type TerminalSize, useTerminalSize } from '../terminal/size.js';
import { Header } from './header.js';
import { type KeyBinding, useKeyMap } from './key-map.js';
import { marginOf, Rows, Themed } from './screen.js';
import { withHelp } from './shared-keys.js';
import { KeyHelp, StatusBar } from './status-bar.js';

/** A longer line is hard to follow. */
const MAX_COLUMNS = 96;

interface InlineScreenProps {
  readonly stdout: NodeJS.WriteStream;
  readonly style: Style;
  readonly title: string;
  /** At the right of the title, most important last. */
  readonly facts: (columns: number) => readonly string[];
  /** As many lines as they need; the area is what is left of the terminal. */
  readonly lines: (area: TerminalSize) => readonly string[];
  readonly isStopping: boolean;
  readonly isHelp: boolean;
  /** Called for every frame, and before every key. */
  readonly keys: () => readonly KeyBinding[];
}

/**
 * A screen within the scrollback, of as many rows as it needs while work is running. Without room, its title goes first,
 * then lines from the top.
 */
export function InlineScreen(props: InlineScreenProps): ReactElement {
  const { style, title, facts, lines, isStopping, isHelp, keys } = props;
  const size = useTerminalSize(props.stdout);
  useKeyMap(() => ({ bindings: keys() }));
  const bindings = keys();
  const margin = marginOf(size);
  const columns = Math.max(1, Math.min(size.columns, MAX_COLUMNS) - margin * 2);
  // The last row of the terminal stays free (see mount.tsx).
  const rows = Math.max(1, size.rows - 1);
  const helpRows = bindings.filter((binding) => binding.help !== undefined).length;
  const help = isHelp && helpRows < rows ? helpRows : 0;
  const body = lines({ columns, rows: Math.max(0, rows - 2 - help) });
  const hasTitle = body.length + help + 2 <= rows;
  const shown = Math.max(0, rows - 1 - help - (hasTitle ? 1 : 0));
  const note = isStopping ? { text: STOPPING, isFault: false } : undefined;
  return (
    <Themed style={style}>
      <Box flexDirection="column" marginLeft={margin} width={columns}>
        {hasTitle ? <Header title={title} facts={facts(columns)} columns={columns} /> : null}
        <Rows lines={shown === 0 ? [] : body.slice(-shown)} />
        {help > 0 ? <KeyHelp bindings={bindings} columns={columns} /> : null}
        <StatusBar bindings={bindings} note={note} columns={columns} />
      </Box>
    </Themed>
  );
}

const STOPPING = 'stopping after the current transaction · ctrl-c quits now';

/** The keys of a screen that is shown while work is running. */
export function stopKeys(
  isHelp: boolean,
  on: { readonly stop: () => void; readonly help: (on: boolean) => void },
): readonly KeyBinding[] {
  const stop: KeyBinding = {
    on: ['q', 'ctrl-c'],
    run: on.stop,
    help: ['q, ctrl-c', 'finish the current transaction and stop; saved work is kept'],
    bar: { text: 'q stop', goes: 9 },
  };
  const again: KeyBinding = {
    on: [],
    run: () => undefined,
    help: ['ctrl-c twice', 'quit now'],
  };
  return [stop, ...withHelp([again], isHelp, on.help)];
}
