import {
  type EditedLine,
  EMPTY_LINE,
  editLine,
  type LineEdit,
} from '../../components/line-editor.js';
import {
  EMPTY_LIST,
  type ListEvent,
  type ListItem,
  type ListState,
  listView,
  reduceList,
} from '../../components/list-state.js';

/** A command of svc that can be run from here. */
export interface PaletteCommand extends ListItem {
  /** Its words: `memory search`. */
  readonly id: string;
  readonly summary: string;
  /** What it takes, in this order. */
  readonly values: readonly PaletteValue[];
  /** Whether it is about one agent, and so gets the selected one. */
  readonly takesAgent: boolean;
}

/** An argument of a command, or a flag that it needs. */
export interface PaletteValue {
  readonly name: string;
  /** Undefined for an argument. */
  readonly flag: string | undefined;
  readonly description: string;
  readonly isRequired: boolean;
}

/** The list of commands, and the value that is being asked for. */
export interface PaletteState {
  readonly list: ListState<PaletteCommand>;
  /** The selected agent. */
  readonly agent: string | undefined;
  readonly asked: AskedValue | undefined;
}

interface AskedValue {
  readonly command: PaletteCommand;
  /** Of the values before. */
  readonly given: readonly string[];
  readonly line: EditedLine;
}

/** Events of the palette. */
export type PaletteEvent =
  | { readonly type: 'list'; readonly event: ListEvent<PaletteCommand> }
  | { readonly type: 'typed'; readonly edit: LineEdit }
  | { readonly type: 'asked'; readonly asked: AskedValue | undefined };

export function openPalette(
  commands: readonly PaletteCommand[],
  agent: string | undefined,
): PaletteState {
  const list = reduceList<PaletteCommand>(EMPTY_LIST, { type: 'replaced', items: commands });
  return { list, agent, asked: undefined };
}

/** The palette after an event; pure, and the same object if nothing changes. */
export function reducePalette(state: PaletteState, event: PaletteEvent): PaletteState {
  switch (event.type) {
    case 'list': {
      const list = reduceList(state.list, event.event);
      return list === state.list ? state : { ...state, list };
    }
    case 'typed': {
      const { asked } = state;
      if (asked === undefined) {
        return reducePalette(state, {
          type: 'list',
          event: { type: 'filtered', edit: event.edit },
        });
      }
      const line = editLine(asked.line, event.edit);
      return line === asked.line ? state : { ...state, asked: { ...asked, line } };
    }
    case 'asked':
      return { ...state, asked: event.asked };
  }
}

/** The value that is asked for. */
export function askedValue({ command, given }: AskedValue): PaletteValue | undefined {
  return command.values[given.length];
}

/**
 * What Enter does: ask for the next value, or run the command. A required value has to be typed; an optional one that is
 * left out ends the questions.
 */
export function afterEnter(
  state: PaletteState,
): { readonly asked: AskedValue } | { readonly argv: readonly string[] } | undefined {
  const { asked, agent } = state;
  if (asked === undefined) {
    const command = listView(state.list).selected;
    return command === undefined ? undefined : next(command, [], agent);
  }
  const { command, given, line } = asked;
  const text = line.text.trim();
  if (text !== '') return next(command, [...given, text], agent);
  return askedValue(asked)?.isRequired === true
    ? undefined
    : { argv: argvOf(command, given, agent) };
}

function next(
  command: PaletteCommand,
  given: readonly string[],
  agent: string | undefined,
): NonNullable<ReturnType<typeof afterEnter>> {
  return given.length < command.values.length
    ? { asked: { command, given, line: EMPTY_LINE } }
    : { argv: argvOf(command, given, agent) };
}

function argvOf(
  { id, values, takesAgent }: PaletteCommand,
  given: readonly string[],
  agent: string | undefined,
): readonly string[] {
  const pairs = given.map((text, at) => ({ text, flag: values[at]?.flag }));
  const flags = pairs.flatMap(({ text, flag }) =>
    flag === undefined ? [] : [`--${flag}=${text}`],
  );
  const args = pairs.flatMap(({ text, flag }) => (flag === undefined ? [text] : []));
  return [
    ...id.split(' '),
    ...(takesAgent && agent !== undefined ? [`--agent=${agent}`] : []),
    ...flags,
    // What is typed is a value, also with a dash.
    ...(args.length === 0 ? [] : ['--', ...args]),
  ];
}
